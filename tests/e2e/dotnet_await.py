# SPDX-License-Identifier: BSD-2-Clause
"""Compares the awaiters in fixtures/dotnet/nesting.await.cs with the async frames of a profile.

Each async method has one awaiter in the source, except in Twice, which soon has several. So in each
run of async frames the first must await the frame before the run, the second must await the first,
and so on. The last frame is LoopAsync, or the stack has a reason for its end, or the caller had not
yet awaited the last frame because another thread completed the task so quickly. One reason is a
type that the recorder has not yet read, which takes a while on a busy machine. Once a stack of a
method has had all awaiters, KNOWN % of the method's later stacks must have them.
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
KNOWN = 90  # %; the rest: types marked by a collection, awaiters that have not yet awaited


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
    """"Deep.LastAsync" of "Await.Deep.LastAsync". Shared code belongs to all instantiations."""
    name = re.sub(r"<lambda_\w+>", "<lambda>", frame.get("name") or "")
    name = name.replace("<__Canon>", "<string>")
    return name.removeprefix("Await.") if name.startswith("Await.") else ""


class Tally:
    """Counts of the stacks with a running async method."""

    def __init__(self, awaits):
        self.awaits = awaits
        self.n = self.whole = self.told = self.cut = self.wrong = self.untold = 0
        self.seen, self.misses = set(), {}
        self.later = self.later_whole = 0  # samples of methods that had a complete stack before

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
                    self.miss(f"{before} has multiple awaiters", count)
                return
            if self.awaits.get(before) != name:
                self.miss(f"{before} awaited by {name}", count)
                return
            before = name
        if not before.endswith(".LoopAsync"):
            self.cut += count
        elif WORK == frames[0].get("name"):
            self.whole += count
            self.later_whole += count * (method in self.seen)
            self.seen.add(names[first - 1])


def tallies(profile):
    """Returns the tallies judged by the source, and by a wrong source."""
    right, wrong = Tally(AWAITS), Tally(WRONG)
    for frames in samples_in_order(profile):
        right.add(frames, 1)
        wrong.add(frames, 1)
    return right, wrong


def missing(tally):
    """Cases without any complete stack."""
    leaves = {f"{case.strip()}.{methods[0]}" for case, methods in CHAINS.items()}
    leaves ^= {"Sync.LastAsync", "Sync.MiddleAsync"}  # nothing has been awaited yet
    return leaves - tally.seen


def judge(check, right, wrong, version):
    for what, count in sorted(right.misses.items(), key=lambda x: -x[1])[:8]:
        print(f"  {count} {what}")
    print(f".NET {version}: {right.n} samples in async methods, {right.whole} with all "
          f"awaiters, {right.told} with a reason, {right.untold} with none, {right.cut} cut, "
          f"{right.wrong} wrong")
    check.that(right.n >= 50, f"async methods are sampled ({right.n})")
    check.that(right.wrong == 0, f"awaiters are the source's ({right.wrong} are not)")
    check.that(100 * right.later_whole >= KNOWN * right.later and right.later >= 0.2 * right.n,
               f"awaiters are found once their type is known ({right.later_whole} of {right.later})")
    check.that(right.cut <= 0.1 * right.n, f"few are cut ({right.cut})")
    check.that(not missing(right), f"each case has a complete stack (not {missing(right)})")
    check.that(wrong.wrong, f"a wrong source is detected ({wrong.wrong} stacks)")
