# SPDX-License-Identifier: BSD-2-Clause
"""judge.py CHECK FILE...: checks profiles with Python's own JSON, gzip and UTF-8 decoders.

lines PROFILE           every line is JSON and refers only to earlier lines; counts add up
statuses PROFILE        each status of a stack occurs
folded PROFILE FOLDED   the folded stacks have the counts and labels of the profile
stacks PROFILE JSON     the output of `report --json` contains all samples of the profile
utf8 FILE               the file has no control or bidirectional character except newlines
"""

import collections
import json
import sys

STATUSES = ("complete", "truncated", "failed")


def read_lines(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data.endswith(b"\n"), "the last line does not end with a line feed"
    return [json.loads(line.decode("utf-8")) for line in data[:-1].split(b"\n")]


class Profile:
    def __init__(self, path):
        self.frames, self.stacks, self.names = {}, {}, {}
        self.cells = collections.Counter()
        self.files = collections.defaultdict(set)  # by name and module; see file_of()
        self.summary = None
        lines = read_lines(path)
        assert lines[0]["type"] == "header" and lines[0]["schema"] == 1
        for line in lines:
            getattr(self, "on_" + line["type"])(line)

    def on_header(self, line):
        pass

    def on_process(self, line):
        self.names[line["pid"]] = line["name"]

    def on_thread(self, line):
        assert line["pid"] in self.names

    def on_frame(self, line):
        assert line["id"] not in self.frames
        self.frames[line["id"]] = line

    def on_stack(self, line):
        assert line["id"] not in self.stacks and line["status"] in STATUSES
        assert all(i in self.frames for i in line["frames"])
        assert ("reason" in line) == (line["status"] != "complete")
        self.stacks[line["id"]] = line

    def on_samples(self, line):
        assert len(line["t"]) == line["count"] and min(line["t"]) >= 0
        assert line["stack"] in self.stacks and line["pid"] in self.names
        self.cells[line["pid"], line["tid"], line["stack"]] += line["count"]

    def on_summary(self, line):
        self.summary = line

    def n_samples(self):
        return sum(self.cells.values())


def clean(text):
    """Escapes a label by the rules of folded stacks."""
    out = ""
    for c in text:
        hostile = ord(c) < 32 or 127 <= ord(c) < 160 or ord(c) in BIDI
        out += ":" if c == ";" else "?" if hostile else c
    return out


BIDI = {0x61C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def file_of(p, f):
    """The file of a frame; if unknown, the only file that has a frame of its name and module."""
    if not p.files:
        for g in p.frames.values():
            if "file" in g:
                p.files[g.get("name"), g.get("module")].add(g["file"])
    same = p.files.get((f.get("name"), f.get("module")), ())
    if "file" in f or not f.get("name") or "module" not in f or len(same) != 1:
        return f.get("file")
    return next(iter(same))


def start(p, f):
    """The (line, column) at which a function starts; if unknown, the one at which the only other
    function of this name in the file starts."""
    if "start_line" in f:
        return f["start_line"], f.get("start_column", 0)
    same = {(g["start_line"], g.get("start_column", 0)) for g in p.frames.values()
            if "start_line" in g and own_name(g) == own_name(f) and file_of(p, g) == file_of(p, f)}
    if len(same) == 1:
        return same.pop()
    return (f.get("line", 0) if f.get("name") in (None, "", "(anonymous)") else 0), 0


def place(p, f):
    line, column = start(p, f)
    columns = {start(p, g)[1] for g in p.frames.values()
               if file_of(p, g) == file_of(p, f) and start(p, g)[0] == line}
    return file_of(p, f) + (":%d" % line if line else "") + (
        ":%d" % column if column and len(columns) > 1 else "")


def own_name(f):
    name = f.get("name")
    if not name and f.get("module"):
        base = f["module"].rsplit("/", 1)[-1]
        off = f.get("start_off", f.get("off"))
        name = base + "+" + off if off else "[" + base + "]"
    elif not name:
        name = "[" + f["kind"] + (" " + f["off"] if "off" in f else "") + (
            ": " + f["reason"] if "reason" in f else "") + "]"
    return name


def label(p, f):
    return ("async " if f.get("async") else "") + clean(own_name(f)) + (
        " (" + clean(place(p, f)) + ")" if file_of(p, f) is not None else "")


def folded_text(p, pid, stack):
    s = p.stacks[stack]
    labels = [label(p, p.frames[i]) for i in reversed(s["frames"])]
    if s["status"] != "complete":
        labels.insert(0, "[%s: %s]" % (s["status"], s["reason"]))
    if len({pid for pid, _, _ in p.cells}) > 1:
        labels.insert(0, clean(p.names[pid]) or "pid %d" % pid)
    return ";".join(labels) or "[no frame]"


def judge_lines(path):
    p = Profile(path)
    s, by_status = p.summary, collections.Counter()
    for (_, _, stack), n in p.cells.items():
        by_status[p.stacks[stack]["status"]] += n
    assert s["samples"] == p.n_samples() > 0
    assert s["complete"] == by_status["complete"]
    assert sum(s["truncated"].values()) == by_status["truncated"]
    assert sum(s["failed"].values()) == by_status["failed"]
    assert sum(s["by_activity"].values()) == s["samples"]


def judge_statuses(path):
    p = Profile(path)
    assert {p.stacks[stack]["status"] for _, _, stack in p.cells} == set(STATUSES)


def judge_folded(path, folded):
    p, want, got = Profile(path), collections.Counter(), collections.Counter()
    for (pid, _, stack), n in p.cells.items():
        want[folded_text(p, pid, stack)] += n
    with open(folded, encoding="utf-8", newline="\n") as f:
        for line in f.read().splitlines():
            text, n = line.rsplit(" ", 1)
            assert text not in got, "two lines of the folded file have the same stack"
            got[text] = int(n)
    assert got == want, (got - want, want - got)


def judge_stacks(path, stacks):
    p, want, got = Profile(path), collections.Counter(), collections.Counter()
    for (pid, tid, stack), n in p.cells.items():
        s = p.stacks[stack]
        frames = [{k: v for k, v in p.frames[i].items() if k not in ("type", "id")}
                  for i in s["frames"]]
        want[pid, tid, s["status"], s.get("reason"), json.dumps(frames)] += n
    for o in read_lines(stacks):
        assert o["process"] == p.names[o["pid"]]
        got[o["pid"], o["tid"], o["status"], o.get("reason"), json.dumps(o["frames"])] += o["count"]
    assert got == want


def judge_utf8(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        text = f.read().replace("\n", "")
    assert text and clean(text.replace(";", ":")) == text.replace(";", ":")


def main():
    globals()["judge_" + sys.argv[1]](*sys.argv[2:])


main()
