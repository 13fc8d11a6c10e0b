# SPDX-License-Identifier: BSD-2-Clause
"""Judges native stacks by the stacks that perf records from the same process at the same time.

`perf record --call-graph dwarf` copies the stack with each sample, and unwinds the copy later by
.eh_frame, with code that is independent of Unspool's. A chain is the innermost DEPTH functions of a
sample's user stack, leaf first, as (file, function). Direct recursion counts as one function. The
names come from nm of the file and of its debug file; of several names for an address the first one
is used. A function without a symbol is identified by the start address in its .eh_frame entry. The
functions of perf's frames are looked up by address.

Only complete chains of perf count, that is, chains that end in the file's entry or at the start of
a thread. If a program has code that perf can't unwind, incomplete chains longer than DEPTH count,
too. The limits apply to many samples; for few samples two standard deviations are added.

Two recordings never contain the same rare chains. From the number of chains that perf recorded
once, the probability is estimated that perf's next sample would have a new chain (Good and Turing).
The same share of Unspool's chains may be missing from perf's. Wrong chains could be hidden in that
share, so the share is limited to MAX_RARE %. For this, chains are compared at the greatest depth,
from DEPTH down to MIN_DEPTH, at which the share is below that limit. In addition, each link of a
complete chain (a function and its caller) must be among perf's links. There are few different
links, so perf records almost all of them.
"""

import bisect
import collections
import itertools
import math
import os
import re
import subprocess

ROOTS = {"_start", "__clone3", "clone3", "__clone", "clone", "thread_start"}
DEPTH = 5
MIN_COMPLETE = 99.5  # % of samples
MIN_SEEN = 99.0  # % of samples
MIN_LINKED = 99.8  # % of samples
MAX_RARE = 2.5  # % of samples
MIN_DEPTH = 2
MAX_POINTS = 3.0  # allowed difference between the shares of a chain
TOP = 20
MAX_FDE_FILE = 30 << 20
MAX_NAME = 1000  # Unspool's names have at most 1023 bytes


def debug_files(path):
    """Yields the debug files of @path that packages have installed."""
    for match in lines_of("readelf", "-n", path, like=r"\s+Build ID: (..)([0-9a-f]+)$"):
        file = "/usr/lib/debug/.build-id/{}/{}.debug".format(*match.groups())
        if os.path.exists(file):
            yield file


class Functions:
    """The functions of one file, from nm or, for functions without a symbol, from .eh_frame."""

    def __init__(self, path):
        self.names, self.segments, spans = {}, [], {}
        # A name that is too long when demangled is left mangled.
        for flags, file in itertools.product(
                ("-CS", "-S", "-CSD", "-SD"), (path, *debug_files(path))):
            for match in lines_of("nm", flags, "--defined-only", file,
                                  like=r"([0-9a-f]+) ([0-9a-f]+) [tTwWiuV] (.+)$"):
                start, size = int(match.group(1), 16), int(match.group(2), 16)
                spans.setdefault(start, [start + size, []])[1].append(match.group(3))
        for is_old in (True, False):  # a name without a version stands for the newest version
            for _, names in spans.values():
                these = [n for n in names
                         if ("@" in n and bool(re.search("[^@]@[^@]", n))) == is_old]
                first = plain(min(names)) if these else None
                self.names.update((plain(without_type(n)), first) for n in these)
                self.names.update((plain(n), first) for n in these)
        self.spans = sorted((start, end, plain(min(names))) for start, (end, names) in spans.items())
        self.fdes = []
        if os.path.exists(path) and os.path.getsize(path) < MAX_FDE_FILE:
            self.fdes = sorted((int(m.group(1), 16), int(m.group(2), 16), f"fde {m.group(1)}")
                               for m in lines_of("readelf", "-wf", path,
                                                 like=r".* FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)$"))
        for match in lines_of("readelf", "-lW", path,
                              like=r"\s+LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) "):
            self.segments.append(tuple(int(g, 16) for g in match.groups()))

    def at(self, addr):
        return find(self.spans, addr) or find(self.fdes, addr)

    def at_off(self, off):
        return next((self.at(off - start + addr) for start, addr, size in self.segments
                     if start <= off < start + size), None)


def without_type(name):
    """Returns the name of a template function without its return type."""
    depth = 0
    for match in re.finditer("[<( )>]", name) if " " in name else ():
        c = match.group()
        depth += (c in "<(") - (c in ">)")
        if c == " " and not depth:
            return name[match.end():]
    return name


def find(spans, addr):
    i = bisect.bisect(spans, (addr, 1 << 64, "")) - 1
    return spans[i][2] if i >= 0 and addr < spans[i][1] else None


def lines_of(*command, like):
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8",
                          errors="replace")
    for line in done.stdout.splitlines():
        match = re.match(like, line)
        if match:
            yield match


class Files:
    """The functions of all files, for frames of perf and of Unspool."""

    def __init__(self):
        self.files = {}

    def _file(self, path):
        if path not in self.files:
            self.files[path] = Functions(path)
        return self.files[path]

    def theirs(self, path, off, name):
        """Returns (file, function) for a frame of perf. perf's own name is used if nm has none."""
        file = self._file(path)
        function = file.at_off(off)
        if name and plain(name) not in file.names:
            file.names[plain(name)] = function
        return os.path.basename(path), function

    def ours(self, frame, is_leaf):
        path = frame.get("module", "")
        if frame.get("name", "").endswith("@plt"):
            function = None  # nm has no stubs
        elif frame.get("name"):
            function = self._file(path).names.get(plain(frame["name"]))
        else:
            function = self._file(path).at_off(int(frame["off"], 16) - (not is_leaf))
        return os.path.basename(path), function


def plain(name):
    """Returns the name without version and without the suffix of a cold part, cut to the greatest
    length that Unspool prints."""
    if "@" in name:
        name = re.sub(r"@@?[A-Z0-9_.a-z]+$", "", name)
    if "cold" in name:
        name = re.sub(r"\.cold$| \[clone \.cold\]$", "", name)
    return name[:MAX_NAME]


def perf_stacks(text):
    """Yields for each user stack in the output of perf script: pid, [(file, offset, perf's name)],
    leaf first."""
    pid, frames = None, []
    for line in [*text.splitlines(), ""]:
        match = re.match(r"\s*([0-9a-f]+) (.+) \(([/\[]\S+)(?: \(deleted\))?\)$", line)
        if match and match.group(3) in ("[unknown]", "//anon"):
            frames.append((None, 0, None))
        elif match and (match.group(3)[0] != "[" or match.group(3) == "[vdso]"):
            name = None if match.group(2) == "[unknown]" else match.group(2)
            frames.append((match.group(3), int(match.group(1), 16), name))
        elif re.match(r"\s*\d+\s*$", line):
            pid = int(line)
        elif not line.strip() and frames:
            yield pid, frames
            frames = []


def is_complete(frames):
    """Returns whether perf's stack is complete. The entry of a stripped file has no name."""
    if any(path is None for path, _, _ in frames):
        return False
    below = frames[-2][2] if len(frames) > 1 else None
    return frames[-1][2] in ROOTS or (below or "").startswith("__libc_start_main")


def chain_of(functions):
    return tuple(function for function, _ in itertools.groupby(functions))[:DEPTH]


class Chains:
    """Counts the samples of one process, by chain."""

    def __init__(self):
        self.counts = collections.Counter()
        self.all = 0
        self.samples = self.complete = 0  # samples checked for completeness, and complete ones
        self.reasons = collections.Counter()


def perf_chains(text, files, parts=False):
    """Returns {pid: Chains} of perf's stacks, with @parts including incomplete ones. (perf prints
    return addresses minus 1.)"""
    found = collections.defaultdict(Chains)
    for pid, frames in perf_stacks(text):
        good = list(itertools.takewhile(lambda frame: frame[0], frames))
        chain = chain_of(files.theirs(*frame) for frame in good)
        found[pid].all += 1
        if is_complete(frames):
            found[pid].counts[chain] += 1
        elif parts and len(chain) == DEPTH and len(good) > DEPTH:
            found[pid].counts[chain] += 1
    return found


def our_chains(profile, files, settled_us=0, ends=frozenset()):
    """Returns {pid: Chains} of Unspool's stacks, without frames that perf's stacks lack. Complete
    stacks are counted from @settled_us after the first sample on; stacks with a function of @ends
    are not counted.
    """
    found = collections.defaultdict(Chains)
    start_us = settled_us + min((line["t"][0] for line in profile.of("samples")), default=0)
    for count, stack, frames, line in profile.samples():
        chains, whole = found[line["pid"]], stack["status"] == "complete"
        user = [f for f in frames if f["kind"] != "kernel" and not f.get("inlined")]
        native = list(itertools.takewhile(lambda f: f["kind"] == "native", user))
        late = sum(t >= start_us for t in itertools.accumulate(line["t"]))
        chains.all += count
        if not any(f.get("name") in ends for f in user):
            chains.samples += late
            chains.complete += whole * late
            if not whole:
                chains.reasons[stack["reason"]] += count
        chain = chain_of(files.ours(f, f is user[0]) for f in native)
        if whole and chain and (native == user or len(chain) == DEPTH):
            chains.counts[chain] += count
    return found


def most(share, n):
    """Returns how many of @n samples may be of a kind whose share is @share."""
    return share * n + 2 * math.sqrt(share * n)


def links(chain):
    """Returns each function of a chain with its caller. A chain of one function has no function
    with a caller."""
    return set(zip(chain, chain[1:])) or {chain}


def cut(counts, depth):
    """Returns the chains cut to the innermost @depth functions, with the sums of their counts."""
    shorter = collections.Counter()
    for chain, count in counts.items():
        shorter[chain[:depth]] += count
    return shorter


def count_links(counts):
    found = collections.Counter()
    for chain, count in counts.items():
        for link in links(chain):
            found[link] += count
    return found


def unseen_share(n_once, n):
    """Estimates the share of chains not yet seen if @n_once of @n were seen once; adds two standard
    deviations."""
    return min(MAX_RARE / 100, (n_once + 2 * math.sqrt(n_once + 1)) / max(1, n))


def rare(counts):
    return unseen_share(sum(n == 1 for n in counts.values()), counts.total())


def rare_links(counts):
    known = count_links(counts)
    return unseen_share(sum(any(known[link] == 1 for link in links(chain)) for chain in counts),
                        counts.total())


def comparable_depth(counts):
    """Returns the greatest depth at which the share of rare chains is below the limit."""
    return next((depth for depth in range(DEPTH, MIN_DEPTH, -1)
                 if rare(cut(counts, depth)) < MAX_RARE / 100), MIN_DEPTH)


def missing(ours, theirs):
    return collections.Counter({what: n for what, n in ours.items() if what not in theirs})


class Verdict:
    """Compares Unspool's chains with perf's, except for chains that perf can't unwind (@hidden)."""

    def __init__(self, ours, theirs, hidden=lambda chain: False):
        self.samples, self.n = ours.samples, ours.counts.total()
        self.complete = 100 * ours.complete / max(1, ours.samples)
        self.n_theirs = theirs.counts.total()
        shown = collections.Counter({c: n for c, n in ours.counts.items() if not hidden(c)})
        self.is_complete = (ours.samples > 0 and ours.samples - ours.complete <=
                            most(1 - MIN_COMPLETE / 100, ours.samples))
        self._compare_chains(shown, theirs.counts)
        self._compare_links(shown, theirs.counts)
        self._compare_shares(shown, ours.all, theirs)

    def _compare_chains(self, shown, theirs):
        n, self.depth = shown.total(), comparable_depth(theirs)
        known = cut(theirs, self.depth)
        unseen = missing(cut(shown, self.depth), known)
        self.seen = 100 * (1 - unseen.total() / max(1, n))
        self.unseen = unseen.most_common(5)
        self.is_seen = n > 0 and unseen.total() <= most(
            1 - MIN_SEEN / 100 + rare(known), n)

    def _compare_links(self, shown, theirs):
        n, known = shown.total(), count_links(theirs)
        unlinked = collections.Counter({c: k for c, k in shown.items() if links(c) - known.keys()})
        self.linked = 100 * (1 - unlinked.total() / max(1, n))
        self.unlinked = [(c, k, links(c) - known.keys()) for c, k in unlinked.most_common(5)]
        self.is_linked = n > 0 and unlinked.total() <= most(
            1 - MIN_LINKED / 100 + rare_links(theirs), n)

    def _compare_shares(self, shown, n_ours, theirs):
        self.points, self.far = 0, []
        for chain, count in shown.most_common(TOP):
            a, b = count / n_ours, theirs.counts[chain] / max(1, theirs.all)
            chance = 2 * math.sqrt(a * (1 - a) / n_ours + b * (1 - b) / max(1, theirs.all))
            self.points = max(self.points, 100 * abs(a - b))
            if 100 * (abs(a - b) - chance) > MAX_POINTS:
                self.far.append((chain, 100 * a, 100 * b))
        self.is_near = shown.total() > 0 and not self.far

    @property
    def good(self):
        return self.is_complete and self.is_seen and self.is_linked and self.is_near
