# SPDX-License-Identifier: BSD-2-Clause
"""Counts exact samples in a profile of programs with known nesting (nesting.py).

A thread is the process's main thread, a worker of Node.js, or a helper thread of V8 or libuv, which
has no frames of the programs. All samples of main threads and workers count, except for those
without a frame of the programs: each must satisfy the rules of whole.py and is then left out, up to
WITHOUT_MOST of all samples.

WITHOUT_MOST follows from a measurement: a turn of the event loop that only calls setImmediate()
takes 1.5 % of the time of the shortest turns, those of `inlining`, and 0.1 to 3.2 % on a loaded
machine, the most in interpreted code. The limit is one and a half times the largest share. V8's own
tasks (collections between two turns) do not count towards this limit, because their stacks show
that the event loop runs them elsewhere. AT_CALL_GOAL ensures that incomplete stacks of the programs
are not left out as samples without the programs.

AT_CALL_GOAL: if the innermost frame of a sample is at a call in the programs, or at the call of the
programs, either the sample was taken during the call instruction or the stack lacks the callees.
A call in compiled code takes some 20 instructions, 2 ns. Except in deep recursion, a leaf, which
takes 25 us, is called through at most 6 functions; their calls take 0.05 % of the time. In the
interpreter a call takes some hundred instructions and a leaf 400 us, so 22 calls take 0.2 % of the
time. The limit is this share, with the scatter of bounds.py.
"""

import collections

import limits
import support
import whole
from bounds import most_misses
from support import Cell

GOALS = {**support.GOALS, "counted": 99.5}
WITHOUT_MOST = 0.05  # share of the samples of threads that run JavaScript, without V8's own tasks
AT_CALL_GOAL = {"compiled": 99.95, "interpreted": 99.8}  # % of these samples, not at a call
LOST_MANY = 0.01  # share of the samples; losses on all CPUs count, also those of other processes


def percent(part, whole_):
    return 100 * part / whole_ if whole_ else 0


class Tally:
    """Counts the samples of one process in a recording. @judges: one judge for each kind of its
    threads."""

    def __init__(self, judges, profile, pid, has_limit=False):
        self.judges, self.has_limit = judges, has_limit
        self.n = self.names = self.lines = self.limited = 0
        self.samples = self.complete = self.without = 0
        self.at_call = collections.Counter()
        self.misses, self.incomplete = collections.Counter(), collections.Counter()
        self.verdicts = {}
        threads = collections.defaultdict(list)
        for count, stack, frames, line in profile.samples():
            if line["pid"] == pid:
                threads[line["tid"]].append((count, stack, frames))
        self.callback = _callback(judges[0], threads)
        for tid, samples in threads.items():
            kind = "main" if tid == pid else _kind(samples)
            judge = self._judge_of(samples, kind)
            for count, stack, frames in samples:
                self._add(judge, kind, count, stack, frames)

    def _verdict(self, judge, kind, stack, frames):
        key = id(judge), kind, stack["id"]
        if key not in self.verdicts:
            self.verdicts[key] = judge.judge(frames, kind)
        return self.verdicts[key]

    def _judge_of(self, samples, kind):
        """Returns the judge that accepts most of a thread's samples."""
        if len(self.judges) == 1:
            return self.judges[0]
        return max(self.judges, key=lambda judge: sum(
            count for count, stack, frames in samples
            if self._verdict(judge, kind, stack, frames).names))

    def _add(self, judge, kind, count, stack, frames):
        self.samples += count
        verdict = self._verdict(judge, kind, stack, frames)
        tokens = [whole.token(f) for f in reversed(frames)]
        root = verdict.root if verdict.own else whole.starts(tokens, kind)
        if stack["status"] == "complete" and root:
            self.complete += count
        else:
            self.incomplete[stack.get("reason", "wrong root of the stack")] += count
        if not verdict.own and kind == "helper":
            return
        inner = next((f for f in frames if f["kind"] == "js"), {})
        code = "interpreted" if inner.get("tier") == "interpreted" else "compiled"
        is_at_call = _at(inner) == self.callback
        if not verdict.own and root and whole.is_without(tokens, is_at_call):
            self.without += count * (not whole.is_task(tokens))
            self.at_call[code] += count * whole.ends_at_entry(tokens, is_at_call)
            return
        self.n += count
        self.names += count * verdict.names
        self.lines += count * verdict.lines
        self.at_call[code] += count * verdict.at_call
        limited = verdict.names and not verdict.lines and self.has_limit and \
            limits.is_limit(judge, frames)
        self.limited += count * limited
        if not verdict.lines and not limited:
            self.misses[("lines: " if verdict.names else "names: ") +
                        describe(frames, judge)] += count

    def cell(self):
        return Figures([self]).cell()


class Figures:
    """The figures of some processes, in %. @expected: number of samples expected for their CPU
    time."""

    def __init__(self, tallies, profile=None, expected=None):
        def total(name):
            return sum(getattr(tally, name) for tally in tallies)

        n, samples = total("n"), total("samples")
        wrong = too_many(n, total("without"),
                         sum((tally.at_call for tally in tallies), collections.Counter()))
        self.n, self.limited = n, percent(total("limited"), n)
        self.percent = {"names": percent(max(0, total("names") - wrong), n),
                        "lines": percent(max(0, total("lines") - wrong), n),
                        "complete": percent(total("complete"), samples)}
        if expected:
            lost = profile.summary["lost"]
            samples += lost if lost > LOST_MANY * samples else 0
            self.percent["counted"] = percent(samples, expected)
        self.misses = sum((tally.misses for tally in tallies), collections.Counter())

    def cell(self):
        return Cell(*(self.percent[name] for name in ("names", "lines", "complete")), self.n,
                    self.limited)

    @property
    def good(self):
        """Returns whether the figures reach their goals. If there are more samples than expected,
        the figures miss the goal, too, because the surplus could hide a loss."""
        return self.cell().good and \
            GOALS["counted"] <= self.percent.get("counted", 100) <= 200 - GOALS["counted"]

    def __str__(self):
        return f"{self.n} samples, " + ", ".join(f"{k} {v:.2f} %" for k, v in self.percent.items())


def too_many(n, without, at_call):
    """Returns how many samples exceed the limits: of samples without a frame of the programs, and
    of samples at a call (@at_call is {kind of code: samples})."""
    return max(0, without - int(WITHOUT_MOST * (n + without))) + sum(
        max(0, at_call[code] - most_misses(n + without, goal)) for code, goal in AT_CALL_GOAL.items())


def _at(frame):
    return frame.get("name"), frame.get("line"), frame.get("column")


def _callback(judge, threads):
    """Returns where the event loop calls the programs: name, line and column of Node.js's own
    function."""
    found = collections.Counter()
    for samples in threads.values():
        for count, _, frames in samples:
            own = [i for i, f in enumerate(frames) if judge.place(f)]
            if own and own[-1] + 1 < len(frames) and frames[own[-1] + 1]["kind"] == "js":
                found[_at(frames[own[-1] + 1])] += count
    return found.most_common(1)[0][0] if found else None


def _kind(samples):
    """Returns the kind of a thread. The stacks of a worker have the class Worker at their root."""
    n = sum(count for count, _, frames in samples if any(
        (f.get("name") or "").startswith("node::worker::Worker::") for f in frames))
    return "worker" if 2 * n > sum(count for count, *_ in samples) else "helper"


def describe(frames, judge):
    """Returns a text with the leaf and the innermost frames of the program."""
    def one(frame):
        text = f"{(frame.get('name') or frame['kind'])[:60]}:{frame.get('line', '')}:{frame.get('column', '')}"
        if frame["kind"] == "js":
            text += f"[{frame.get('tier', '?')[:1]}{'i' if frame.get('inlined') else ''}]"
        return text + (f" ({frame['reason']})" if "reason" in frame else "")

    own = [i for i, f in enumerate(frames)
           if judge.locate(f) or f["kind"] == "js" and not f.get("name")]
    if not own:
        return " < ".join(map(one, frames[:6])) + " ..."
    above = [one(f) for f in frames[:own[0]]]
    above = above if len(above) < 4 else [above[0], "...", *above[-2:]]
    return " < ".join(above + [one(frames[i]) for i in own[:5]])
