# SPDX-License-Identifier: BSD-2-Clause
"""Plants a fault in 1 sample of 100 of a good profile, for the tests of the judges.

A fault is a function of FAULTS: it gets the frames of one sample, leaf first, and returns the
changed frames, or None if the fault is not possible in this sample. The samples to change are
chosen at random among those where the fault is possible (the eligible ones): 1 in 100 of all
samples that count, or all eligible samples if there are fewer. Each changed sample gets its own
stack. Nothing else of the profile changes, and the status of the stacks is kept.

This code is independent of the judges' rules. A fault can produce another valid stack by chance
(one more recursive call), so `is_noticed` requires only four fifths of the planted faults.
"""

import collections
import itertools
import json
import random
from dataclasses import dataclass, field

REMOVED = "removed"


@dataclass
class World:
    """@own: is this frame one of the programs'? @foreign: a frame of the runtime's library.

    @counts: does this samples line count? @may_be_at: may a fault move the frame to that line?
    """

    own: callable
    foreign: dict
    counts: callable = lambda line: True
    may_be_at: callable = lambda frame, line: True
    seed: int = 1
    functions: list = field(default_factory=list)  # a frame of each function of the programs
    others: dict = field(default_factory=dict)  # {(pid, tid): its stacks with frames of the programs}

    def __post_init__(self):
        self.random = random.Random(self.seed)

    def another(self, frame):
        """Returns a frame of another function of the programs."""
        return self.random.choice([f for f in self.functions if _function(f) != _function(frame)]
                                  or [None])


def _function(frame):
    return frame.get("name"), frame.get("file"), frame.get("module")


def _own(frames, world):
    return [i for i, frame in enumerate(frames) if world.own(frame)]


def _callers_lost(n):
    def fault(frames, world, _):
        own = _own(frames, world)
        if not own or own[0] == 0 or frames[own[0] - 1]["kind"] == "kernel" or \
                n and len(own) <= n:
            return None
        lost = set(own[:n])
        return [frame for i, frame in enumerate(frames) if i not in lost]
    return fault


def _leaf_in_another_function(frames, world, _):
    other = world.another(frames[0]) if world.own(frames[0]) else None
    return other and [{**other, **_place(frames[0])}, *frames[1:]]


def _place(frame):
    """The members of @frame that a frame which replaces it keeps: tier and inlined."""
    return {key: frame[key] for key in ("tier", "inlined") if key in frame}


def _leaf_foreign(frames, world, _):
    return [world.foreign, *frames[1:]] if world.own(frames[0]) else None


def _leaf_a_line_off(frames, world, _):
    leaf = frames[0]
    lines = [leaf["line"] + off for off in (-1, 1)] if "line" in leaf and world.own(leaf) else []
    lines = [line for line in lines if world.may_be_at(leaf, line)]
    return [{**leaf, "line": world.random.choice(lines)}, *frames[1:]] if lines else None


def _leaf_lost(frames, world, _):
    """Removes the leaf and its callees except kernel frames: the kernel can be entered anywhere."""
    own = _own(frames, world)
    if len(own) < 2 or any(f["kind"] != "kernel" for f in frames[:own[0]]):
        return None
    return frames[:own[0]] + frames[own[0] + 1:]


def _programs_lost(frames, world, _):
    """Removes the programs' frames and all between them, up to the call by the event loop."""
    own = _own(frames, world)
    if not own or any(f["kind"] != "kernel" for f in frames[:own[0]]):
        return None
    return frames[:own[0]] + frames[own[-1] + 1:]


def _middle(change):
    """Applies to a frame of the programs that is neither their outermost nor their innermost."""
    def fault(frames, world, _):
        own = _own(frames, world)[1:-1]
        if not own:
            return None
        i = world.random.choice(own)
        instead = change(frames[i], world)
        return None if instead is None else frames[:i] + instead + frames[i + 1:]
    return fault


def _replaced(frame, world):
    other = world.another(frame)
    return other and [{**other, **_place(frame)}]


def _inlined_lost(frames, world, _):
    left = [f for f in frames if not (f.get("inlined") and world.own(f))]
    return left if len(left) < len(frames) else None


def _lines_lost(frames, world, _):
    if not any("line" in frames[i] for i in _own(frames, world)):
        return None
    return [{k: v for k, v in f.items() if k not in ("line", "column")} for f in frames]


def _columns_off(frames, world, _):
    if not any("column" in frames[i] for i in _own(frames, world)):
        return None
    return [{**f, "column": f["column"] + 1} if "column" in f and world.own(f) else f
            for f in frames]


def _another_threads(frames, world, sample):
    """Applies only to samples with a frame of the programs, so that something is replaced."""
    stacks = [s for key, found in world.others.items() if key != (sample["pid"], sample["tid"])
              for s in found]
    return world.random.choice(stacks) if stacks and _own(frames, world) else None


def _ends_early(frames, world, sample):
    if sample["status"] != "complete" or len(frames) < 4:
        return None
    return frames[:-world.random.randrange(1, len(frames) // 2)]


def _removed(*_):
    return REMOVED


FAULTS = {  # name: (the figure that the fault lowers, function)
    "the caller of a builtin is lost": ("names", _callers_lost(1)),
    "the two inner callers of a builtin are lost": ("names", _callers_lost(2)),
    "all callers of a builtin are lost": ("names", _callers_lost(None)),
    "the leaf is missing": ("names", _leaf_lost),
    "all frames of the program are missing": ("names", _programs_lost),
    "the leaf is replaced by another function": ("names", _leaf_in_another_function),
    "the leaf is replaced by code of the runtime": ("names", _leaf_foreign),
    "the leaf has the line before or after the right line": ("lines", _leaf_a_line_off),
    "a caller is duplicated": ("names", _middle(lambda frame, _: [frame, frame])),
    "a caller is missing": ("names", _middle(lambda *_: [])),
    "a caller is replaced by another function": ("names", _middle(_replaced)),
    "inlined frames are missing": ("names", _inlined_lost),
    "all lines are missing": ("lines", _lines_lost),
    "columns are off by one": ("lines", _columns_off),
    "the stack is replaced by the stack of another thread": ("names", _another_threads),
    "a truncated stack is marked complete": ("complete", _ends_early),
    "a sample is missing and not counted as lost": ("counted", _removed),
}


@dataclass(frozen=True)
class Planted:
    """The numbers of changed, eligible and all samples."""

    n: int
    eligible: int
    total: int

    @property
    def share(self):
        return 100 * self.n / self.total if self.total else 0

    def is_noticed(self, goal, clean, got):
        """Does the good profile (@clean, %) reach the goal, and is @got lower by the planted share?

        With a fault that is possible in less than 1 sample of 100 the goal may still be reached.
        """
        fell = clean - got >= 0.8 * self.share
        return bool(self.n) and clean >= goal and fell and \
            (got < goal or clean - self.share >= goal)


class _Profile:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = [json.loads(line) for line in file]
        self.frames = {f["id"]: f for f in self.lines if f["type"] == "frame"}
        self.stacks = {s["id"]: s for s in self.lines if s["type"] == "stack"}
        self.next_id = 1 + max(max(self.frames, default=0), max(self.stacks, default=0))

    def frames_of(self, line):
        return [{k: v for k, v in self.frames[i].items() if k not in ("type", "id")}
                for i in self.stacks[line["stack"]]["frames"]]

    def learn(self, world):
        """Collects functions and stacks of the profile in @world, for use as replacements."""
        functions, others = {}, collections.defaultdict(dict)
        for line in self.lines:
            if line["type"] != "samples" or not world.counts(line):
                continue
            frames = self.frames_of(line)
            for frame in filter(world.own, frames):
                functions.setdefault(_function(frame), frame)
            if self.stacks[line["stack"]]["status"] == "complete" and any(map(world.own, frames)):
                others[line["pid"], line["tid"]][line["stack"]] = frames
        world.functions = list(functions.values())
        world.others = {key: list(found.values()) for key, found in others.items()}

    def added(self, frames, stack):
        """The lines of a stack with these frames, and its id."""
        found = []
        for frame in frames:
            found.append({"type": "frame", "id": self.next_id, **frame})
            self.next_id += 1
        ids = [f["id"] for f in found]
        found.append({**stack, "id": self.next_id, "frames": ids})
        self.next_id += 1
        return found, found[-1]["id"]

    def split(self, line, changed):
        """The lines that replace a samples line whose samples @changed ({i: frames}) differ."""
        times = list(itertools.accumulate(line["t"]))
        found = []
        for i, frames in sorted(changed.items()):
            if frames is REMOVED:
                continue
            lines, stack = self.added(frames, self.stacks[line["stack"]])
            found += [*lines, {**line, "stack": stack, "count": 1, "t": [times[i]]}]
        kept = [t for i, t in enumerate(times) if i not in changed]
        if kept:
            deltas = [b - a for a, b in zip([0, *kept], kept)]
            found.append({**line, "count": len(kept), "t": deltas})
        return found


def plant(path, out, fault, world, one_in=100):
    """Copies a profile and changes one in @one_in samples; returns Planted."""
    profile = _Profile(path)
    profile.learn(world)
    total, eligible = 0, []
    for at, line in enumerate(profile.lines):
        if line["type"] != "samples" or not world.counts(line):
            continue
        total += line["count"]
        sample = {**line, "status": profile.stacks[line["stack"]]["status"]}
        frames = profile.frames_of(line)
        if fault(frames, world, sample) not in (None, frames):
            eligible += [(at, i) for i in range(line["count"])]
    chosen = world.random.sample(eligible, min(len(eligible), round(total / one_in)))
    changed = collections.defaultdict(dict)
    for at, i in chosen:
        line = profile.lines[at]
        frames, instead = profile.frames_of(line), None
        while instead in (None, frames):  # chosen at random, so try again
            instead = fault(frames, world, {**line, "status":
                                            profile.stacks[line["stack"]]["status"]})
        changed[at][i] = instead
    _write(profile, out, changed)
    return Planted(len(chosen), len(eligible), total)


def _write(profile, out, changed):
    removed = collections.Counter()
    with open(out, "w", encoding="utf-8") as file:
        for at, line in enumerate(profile.lines):
            for i, frames in changed.get(at, {}).items():
                removed[profile.stacks[line["stack"]]["status"]] += frames is REMOVED
            if line["type"] == "summary":
                line = {**line, "samples": line["samples"] - removed.total(),
                        "complete": line["complete"] - removed["complete"]}
            for each in profile.split(line, changed[at]) if at in changed else [line]:
                file.write(json.dumps(each) + "\n")
