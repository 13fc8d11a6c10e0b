# SPDX-License-Identifier: BSD-2-Clause
"""Plants a fault in 1 sample of 100 of a recording of native code, for the test of its judge.

A fault gets the user frames of one stack, leaf first, and returns the changed frames, or None if
the fault is not possible. The samples are chosen at random among those where the fault is possible,
up to 1 in 100 of all samples. This code is independent of the judge's rules.
"""

import random

SHARE = 100
NEAR = 4  # minimum number of frames of a stack for changing its callers


def function(frame):
    return frame.get("name") or frame.get("off")


def caller_lost(frames, _):
    return [frames[0], *frames[2:]] if len(frames) >= NEAR else None


def callers_caller_lost(frames, _):
    return [*frames[:2], *frames[3:]] if len(frames) >= NEAR else None


def caller_invented(frames, others):
    caller = others.never(lambda f: (function(frames[0]), function(f)))
    return caller and [frames[0], caller, *frames[1:]]


def callers_swapped(frames, _):
    if len(frames) < NEAR or function(frames[1]) == function(frames[2]):
        return None
    return [frames[0], frames[2], frames[1], *frames[3:]]


def leaf_replaced(frames, others):
    leaf = len(frames) > 1 and others.never(lambda f: (function(f), function(frames[1])))
    return [leaf, *frames[1:]] if leaf else None


FAULTS = {
    "the caller of the leaf is lost": caller_lost,
    "the caller of the leaf's caller is lost": callers_caller_lost,
    "a caller is invented": caller_invented,
    "two callers are swapped": callers_swapped,
    "the leaf is replaced by another function": leaf_replaced,
}


class Others:
    """The functions of the same recording, and their callers."""

    def __init__(self, profile, rng):
        self.frames = [f for f in profile.of("frame") if f["kind"] == "native"]
        self.random, self.pairs = rng, set()
        for _, _, frames, _ in profile.samples():
            names = [function(f) for f in frames]
            self.pairs.update(zip(names, names[1:]))

    def never(self, pair):
        """Returns a frame with which @pair, (callee, caller), does not occur in the recording."""
        found = [f for f in self.frames if pair(f) not in self.pairs and len(set(pair(f))) == 2]
        return self.random.choice(found) if found else None


class Planted:
    """A profile, in the form that tests/e2e/lib.py reads, with a fault in 1 sample of 100."""

    def __init__(self, profile, fault, seed=1):
        self.profile, self.fault, self.n_planted = profile, fault, 0
        self.random = random.Random(seed)
        self.others = Others(profile, self.random)
        found = [(count, self._changed(stack, frames) is not None)
                 for count, stack, frames, _ in profile.samples()]
        eligible = sum(count for count, is_possible in found if is_possible)
        self.share = sum(count for count, _ in found) / SHARE / max(1, eligible)

    def of(self, kind):
        return self.profile.of(kind)

    def _changed(self, stack, frames):
        """Inlined frames are left out, as the judges ignore them."""
        user = [f for f in frames if f["kind"] == "native" and not f.get("inlined")]
        bad = self.fault(user, self.others) if user and stack["status"] == "complete" else None
        return bad and [f for f in frames if f["kind"] == "kernel"] + bad

    def samples(self):
        for count, stack, frames, line in self.profile.samples():
            n_bad = sum(self.random.random() < self.share for _ in range(count))
            bad = self._changed(stack, frames)
            if not n_bad or bad is None:
                yield count, stack, frames, line
                continue
            self.n_planted += n_bad
            times = line["t"]
            yield n_bad, stack, bad, {**line, "t": times[:n_bad], "count": n_bad}
            if count > n_bad:
                yield count - n_bad, stack, frames, {
                    **line, "t": [sum(times[:n_bad + 1]), *times[n_bad + 1:]],
                    "count": count - n_bad}
