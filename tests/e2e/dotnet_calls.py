# SPDX-License-Identifier: BSD-2-Clause
"""Determines in how many stacks of fixtures/dotnet/nesting.cs the innermost frame may be at a call
in the program.

If the innermost frame of a sample is at a line with a call that the runtime reported, either the
sample was taken there or the stack lacks the callees. A call costs its caller some 10 cycles: five
instructions and the return. A leaf runs Turn.Leaf iterations in 500,000 cycles: an iteration takes
five, for a multiplication and two additions that depend on one another. Of all cases, Recursion
makes the most calls per leaf: 22, which take 0.044 % of the time. Osr and Big make hardly any
calls, because their leaves hardly ever return. Async has equally long leaves. The state machines
and the library's methods that run them take some 300 instructions per leaf. This is 0.06 % of the
time, which exceeds the limit by less than the scatter.

The limit follows from AT_CALL_GOAL, with the scatter of bounds.py. In nine runs of some 11,000
samples each, at a load of 30 to 45 on two cores, 1 to 6 samples were at a call (0.01 to 0.06 %).
SHORT cases have no limit. Their leaves, or the native code that they call, take no longer than
calls, in order that calls, stubs and frameless code are sampled often. Catch has no limit either,
because the cost of an exception before and after a leaf is not known; 0 to 0.3 % of its samples
were at a call.
"""

from bounds import most_misses

AT_CALL_GOAL = 99.95  # % of a case's samples whose innermost frame must not be at a call
SHORT = "Frameless", "Virtual", "Callback", "Objects", "Garbage", "Catch"


def too_many(at_call, n):
    """Returns by how many samples @at_call, the number of samples at a call, exceeds the limit for
    @n samples. SHORT cases must not be counted."""
    return max(0, at_call - most_misses(n, AT_CALL_GOAL))
