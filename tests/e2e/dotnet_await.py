# SPDX-License-Identifier: BSD-2-Clause
"""Who awaits whom in fixtures/dotnet/nesting.await.cs, against the async frames of a profile.

The source allows one caller for each async method, but in Twice, where there are soon several. So of each
row of async frames the first has to await the frame before the row, the second the first, and
so on. The last is LoopAsync, or there is a reason why it is not, or its caller did not get to
awaiting it: what it awaits itself was done so quickly, by another thread. Until the recorder has read
a type, that is the reason; on a busy machine it takes a while. But from the first stack of a method
on that has all its awaiters, its later stacks must have them, too: KNOWN % of those.
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
KNOWN = 90  # %; the rest: types that a collection has marked, awaiters that are not waiting yet


def relation(chains):
    """{callee: caller}."""
    awaits = {}
    for case, methods in chains.items():
        names = [f"{case.strip()}.{method}" for method in [*methods, "LoopAsync"]]
        awaits.update(zip(names, names[1:]))
    return awaits | {"Twice.WaitAsync": "Twice.LoopAsync", SEVERAL: "Twice.WaitAsync"}


AWAITS = relation(CHAINS)
WRONG = relation({**CHAINS, "Deep": ["LastAsync", "FirstAsync", "MiddleAsync"]})


def short(frame):
    """"Deep.LastAsync" of "Await.Deep.LastAsync". Running code that instantiations share is of all."""
    name = re.sub(r"<lambda_\w+>", "<lambda>", frame.get("name") or "")
    name = name.replace("<__Canon>", "<string>")
    return name.removeprefix("Await.") if name.startswith("Await.") else ""


class Tally:
    """What became of stacks that were at work in an async method."""

    def __init__(self, awaits):
        self.awaits = awaits
        self.n = self.whole = self.told = self.cut = self.wrong = self.untold = 0
        self.seen, self.misses = set(), {}
        self.later = self.later_whole = 0  # samples of methods of which one was whole before

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
                if "several" in frame.get("reason", "") and before != SEVERAL:
                    self.miss(f"{before} has several", count)
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
    """By the source, and by a truth that is wrong."""
    right, wrong = Tally(AWAITS), Tally(WRONG)
    for frames in samples_in_order(profile):
        right.add(frames, 1)
        wrong.add(frames, 1)
    return right, wrong


def missing(tally):
    """Cases of which no stack was found whole."""
    leaves = {f"{case.strip()}.{methods[0]}" for case, methods in CHAINS.items()}
    leaves ^= {"Sync.LastAsync", "Sync.MiddleAsync"}  # it has not awaited anything
    return leaves - tally.seen


def judge(check, right, wrong, version):
    for what, count in sorted(right.misses.items(), key=lambda x: -x[1])[:8]:
        print(f"  {count} {what}")
    print(f".NET {version}: {right.n} samples at work in async methods, {right.whole} with all that "
          f"await them, {right.told} with a reason, {right.untold} with none, {right.cut} cut, "
          f"{right.wrong} wrong")
    check.that(right.n >= 50, f"async methods are sampled ({right.n})")
    check.that(right.wrong == 0, f"those that await are the source's ({right.wrong} are not)")
    check.that(100 * right.later_whole >= KNOWN * right.later and right.later >= 0.2 * right.n,
               f"whoever awaits is found once it is known ({right.later_whole} of {right.later})")
    check.that(right.cut <= 0.1 * right.n, f"few are cut ({right.cut})")
    check.that(not missing(right), f"in each case ({missing(right)} are missing)")
    check.that(wrong.wrong, f"another truth is refused ({wrong.wrong} stacks)")
