# SPDX-License-Identifier: BSD-2-Clause
"""How many stacks of fixtures/dotnet/nesting.cs may end at a call of the program.

A sample whose innermost frame stands at a line that calls, as the runtime reported it, is either there
or has lost all that was called. A call takes its caller some 10 cycles: five instructions and the return.
A leaf of Turn.Leaf iterations takes 500,000: five each, a multiplication and two additions that wait for one
another. Recursion has the most calls a leaf, 22: 0.044 % of the time. Osr and Big hardly ever return. Async has
leaves as long as these; its state machines and the library's methods that run them are some 300 instructions
a leaf: 0.06 %, more than the rest by less than chance adds.

The limit is what chance leaves of AT_CALL_GOAL (bounds.py). Of some 11,000 samples a run 1 to 6 were at a call,
0.01 to 0.06 %, in nine runs at a load of 30 to 45 on two cores. SHORT cases have no limit: their leaves, or what they
call in native code, are as short as their calls, so that calls, stubs and code without a frame are sampled. Neither
has Catch: what an exception takes before and after a leaf no count of instructions says (0 to 0.3 % at a call).
"""

from bounds import most_misses

AT_CALL_GOAL = 99.95  # % of a case's samples that do not end at a call
SHORT = "Frameless", "Virtual", "Callback", "Objects", "Garbage", "Catch"


def too_many(at_call, n):
    """Samples beyond what may be at a call, of @n of cases that are not SHORT."""
    return max(0, at_call - most_misses(n, AT_CALL_GOAL))
