# SPDX-License-Identifier: BSD-2-Clause
"""The number of stacks of fixtures/dotnet/nesting.cs that may end at a call of the program.

If the innermost frame of a sample is at a line with a call that the runtime reported, either the
sample was taken there or the stack lacks the callees. A call costs its caller some 10 cycles: five
instructions and the return. A leaf of Turn.Leaf iterations takes 500,000 cycles, five per
iteration: a multiplication and two additions that depend on one another. Recursion has the most
calls per leaf, 22, which are 0.044 % of the time. Osr and Big hardly ever return. Async has leaves
as long as these; its state machines and the library's methods that run them take some 300
instructions per leaf, 0.06 % of the time, a difference within the scatter.

The limit is AT_CALL_GOAL with its scatter (bounds.py). In nine runs of some 11,000 samples each, at
a load of 30 to 45 on two cores, 1 to 6 samples were at a call (0.01 to 0.06 %). SHORT cases have no
limit: their leaves, or the native code that they call, are as short as their calls, so that calls,
stubs and frameless code are sampled. Catch has no limit either: the cost of an exception before and
after a leaf is not known (0 to 0.3 % at a call).
"""

from bounds import most_misses

AT_CALL_GOAL = 99.95  # % of a case's samples that do not end at a call
SHORT = "Frameless", "Virtual", "Callback", "Objects", "Garbage", "Catch"


def too_many(at_call, n):
    """How many of the @at_call samples at a call exceed the limit for @n samples. SHORT cases are
    not among them."""
    return max(0, at_call - most_misses(n, AT_CALL_GOAL))
