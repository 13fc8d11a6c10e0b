# SPDX-License-Identifier: BSD-2-Clause
"""Compares the awaiters in fixtures/dotnet/nesting.await.cs with the async frames of a profile.

Each async method has one awaiter in the source, except in Twice, which soon has several. So in each
sequence of async frames the first must await the frame before the sequence, the second must await
the first, and so on. The last async frame is LoopAsync; or the stack has a reason for ending
earlier; or it ends at a method that its caller has not awaited yet, because another thread
completed the task quickly. One such reason is a type that the recorder has not read yet; on a busy
machine this takes a while. After the first stack of a method with all its awaiters, KNOWN % of the
method's stacks must have them.
"""

import re

from dotnet_nesting import samples_in_order

WORK = "Await.Spin.Work(long)"
CHAINS = {
    "Deep": ["LastAsync", "MiddleAsync", "FirstAsync"],
    "Sync": ["LastAsync", "MiddleAsync"],
    "All": ["OneAsync", "BothAsync"],
    "All ": ["TwoAsync", "BothAsync"],
    "Value": ["LastAsync", "FirstAsync"],
    "Pooled": ["LastAsync", "FirstAsync"],
    "Stream": ["ItemsAsync", "SumAsync"],
    "Config": ["LastAsync", "FirstAsync"],
    "Pool": ["LastAsync", "FirstAsync.<lambda>", "FirstAsync"],
    "Shared<long>": ["LastAsync", "FirstAsync"],
    "Shared<string>": ["LastAsync", "FirstAsync"],
    "Move": ["LastAsync", "FirstAsync"],
    "Replaced": ["LastAsync", "FirstAsync"],
}
SEVERAL = "Twice.LastAsync"
KNOWN = 90  # %; in other stacks a collection has marked a type, or the task is not awaited yet


def relation(chains):
    """Returns {callee: caller} of the chains."""
    awaits = {}
    for case, methods in chains.items():
        names = [f"{case.strip()}.{method}" for method in [*methods, "LoopAsync"]]
        awaits.update(zip(names, names[1:]))
    return awaits | {"Twice.WaitAsync": "Twice.LoopAsync", SEVERAL: "Twice.WaitAsync"}


AWAITS = relation(CHAINS)
WRONG = relation({**CHAINS, "Deep": ["LastAsync", "FirstAsync", "MiddleAsync"]})


def short(frame):
    """Returns "Deep.LastAsync" for "Await.Deep.LastAsync", "" for other code. In names of code that
    several instantiations of a generic share, <__Canon> becomes <string>."""
    name = re.sub(r"<lambda_\w+>", "<lambda>", frame.get("name") or "")
    name = name.replace("<__Canon>", "<string>")
    return name.removeprefix("Await.") if name.startswith("Await.") else ""


class Tally:
    """Counts of the stacks in which an async method runs."""

    def __init__(self, awaits):
        self.awaits = awaits
        self.n = self.whole = self.told = self.cut = self.wrong = self.untold = 0
        self.seen, self.misses = set(), {}
        # Samples of methods after their first stack with all awaiters.
        self.later = self.later_whole = 0

    def miss(self, what, count):
        self.wrong += count
        self.misses[what] = self.misses.get(what, 0) + count

    def add(self, frames, count):
        """@frames: leaf first."""
        first = next((i for i, f in enumerate(frames) if f.get("async")), None)
        names = [short(f) for f in frames]
        method = next((name for name in names[:first] if name in self.awaits), None)
        self.later += count * (WORK == (frames[0].get("name") or "") and method in self.seen)
        if WORK == (frames[0].get("name") or ""):
            self.n += count
            if first is None:
                self.untold += count
        if first is None:
            return
        rest = next((i for i in range(first, len(frames)) if not frames[i].get("async")), len(frames))
        before = names[first - 1]
        for frame, name in zip(frames[first:rest], names[first:rest]):
            if "name" not in frame:
                self.told += WORK == frames[0].get("name") and count
                if frame.get("reason") == "multiple awaiters" and before != SEVERAL:
                    self.miss(f"the stack has `multiple awaiters` after {before}, which lacks "
                              "several awaiters", count)
                return
            if self.awaits.get(before) != name:
                self.miss(f"the stack shows {name} as the awaiter of {before}, but the source "
                          "does not", count)
                return
            before = name
        if not before.endswith(".LoopAsync"):
            self.cut += count
        elif WORK == frames[0].get("name"):
            self.whole += count
            self.later_whole += count * (method in self.seen)
            self.seen.add(names[first - 1])


def tallies(profile):
    """Returns two tallies: judged by the source, and by a deliberately wrong source."""
    right, wrong = Tally(AWAITS), Tally(WRONG)
    for frames in samples_in_order(profile):
        right.add(frames, 1)
        wrong.add(frames, 1)
    return right, wrong


def missing(tally):
    """Returns the cases without any stack that has all awaiters."""
    leaves = {f"{case.strip()}.{methods[0]}" for case, methods in CHAINS.items()}
    leaves ^= {"Sync.LastAsync", "Sync.MiddleAsync"}  # LastAsync completes before it is awaited
    return leaves - tally.seen


def judge(check, right, wrong, version):
    for what, count in sorted(right.misses.items(), key=lambda x: -x[1])[:8]:
        print(f"  {count} {what}")
    print(f".NET {version}: {right.n} samples are in async methods: {right.whole} have all "
          f"awaiters, {right.told} have a reason instead, and {right.untold} have no awaiter; in "
          f"all samples, {right.cut} chains of awaiters end early and {right.wrong} are wrong")
    check.that(right.n >= 50, f"at least 50 samples are in async methods ({right.n})")
    check.that(right.wrong == 0,
               f"the awaiters in stacks agree with the source (all but {right.wrong})")
    check.that(100 * right.later_whole >= KNOWN * right.later and right.later >= 0.2 * right.n,
               "once the awaiters of a method were found, later stacks of the method also have "
               "them "
               f"({right.later_whole} of {right.later})")
    check.that(right.cut <= 0.1 * right.n, f"few chains of awaiters end early ({right.cut})")
    check.that(not missing(right),
               f"each case of the program has a stack with all awaiters (all but {missing(right)})")
    check.that(wrong.wrong,
               f"the judge refuses stacks if the expected source is wrong ({wrong.wrong} stacks)")
