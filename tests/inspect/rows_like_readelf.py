#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Unwind rows, compared with binutils' output for the same file.

rows_like_readelf.py PRINT_ROWS ELF[,DEBUG]...	also compares files of Debian that are present
rows_like_readelf.py --flow PRINT_ROWS ELF...	compares rows derived from the instructions alone

`readelf -wF` is the truth for every row of every function. If `readelf -wF` prints only `exp`, the
truth is the text of the expression in `readelf -wf`. A row that no rule can express must be `none`.
Where gcc's call frame information is wrong (LEAVE), the truth is the effect of the instructions.
"""

import bisect
import collections
import glob
import os
import pathlib
import re
import struct
import subprocess
import sys

HEADER = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(.*)")
PC = re.compile(r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)")
X86 = {"rsp": "sp", "rbp": "fp", "r10": "drap"}
ARM = {"sp": "sp", "x29": "fp"}
EXPRESSIONS = [
    (r"DW_OP_breg7 \(rsp\): 8; DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; "
     r"DW_OP_lit(\d+); DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus", "plt@{0}"),
    (r"DW_OP_breg(?:7 \(rsp\)|31 \(sp\)): (-?\d+); DW_OP_deref", "*sp{0:+d}"),
    (r"DW_OP_breg7 \(rsp\): (-?\d+); DW_OP_deref; DW_OP_plus_uconst: (\d+)", "*sp{0:+d}{1:+d}"),
    (r"DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref", "*fp{0:+d}"),
    (r"DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref; DW_OP_plus_uconst: (\d+)", "*fp{0:+d}{1:+d}"),
    (r"DW_OP_breg6 \(rbp\): (-?\d+); DW_OP_deref; DW_OP_lit(\d+); DW_OP_plus", "*fp{0:+d}{1:+d}"),
]

# lea -8(%r10), %rsp: from here up to the return (CFA rsp+8), gcc's information says that rbp is
# saved, although rbp has been popped.
LEAVE = b"\x49\x8d\x62\xf8"

Fde = collections.namedtuple("Fde", "start end rows signal ra")


def readelf(option, elf):
    done = subprocess.run(["readelf", option, elf], capture_output=True, text=True, check=True,
                          timeout=60)
    return done.stdout.splitlines()


COLUMNS = {"6": "fp", "29": "fp", "16": "ra", "30": "ra"}


def expression_texts(elf):
    """{(start of FDE, column): [(address, text)]}: details that `readelf -wF` omits. Each is valid
    from its address on: the text of an expression, "undefined", or None for anything else."""
    found = collections.defaultdict(list)
    start = at = None
    stack = []
    for line in readelf("-wNf", elf):
        pc = PC.search(line)
        if pc or " CIE" in line:
            start = at = int(pc[2], 16) if pc else None
            stack = []
        words = line.split()
        if start is None or not words or not words[0].startswith("DW_CFA_"):
            continue
        name = words[0].rstrip(":")[len("DW_CFA_"):]
        expr = re.search(r" \((DW_OP.*)\)", line)
        if name.startswith("advance_loc"):
            at = int(words[-1], 16)
        elif name == "remember_state":
            stack.append({c: found[start, c][-1][1] for c in ("cfa", "fp", "ra")
                          if found.get((start, c))})
        elif name == "restore_state":
            kept = stack.pop()
            for column in ("cfa", "fp", "ra"):
                found[start, column].append((at, kept.get(column)))
        elif name.startswith("def_cfa"):
            found[start, "cfa"].append((at, expr[1] if expr else None))
        elif len(words) > 1 and words[1][1:] in COLUMNS:
            texts = {"expression": expr and expr[1], "undefined": name}
            found[start, COLUMNS[words[1][1:]]].append((at, texts.get(name)))
    return found


def read_fdes(elf):
    """The FDEs, each with rows (address, {column: text})."""
    cies, fdes = {}, []
    columns, rows, pc, cie = [], [], None, None

    def done():
        if pc:
            of, *what = cies[pc[1]]
            fdes.append(Fde(int(pc[2], 16), int(pc[3], 16),
                            rows or [(int(pc[2], 16), of[0][1])], *what))
        elif cie:
            cies[cie] = (rows, signal, ra)

    for line in readelf("-wNF", elf) + ["00 00 00 CIE"]:
        header = HEADER.match(line)
        if header:
            done()
            pc = PC.search(line) if header[1] == "FDE" else None
            cie = line.split()[0] if header[1] == "CIE" else None
            columns, rows = [], []
            signal = re.search(r'CIE "\w*S', line) is not None
            ra = int((re.search(r" ra=(\d+)", line) or [0, 0])[1])
        elif line.lstrip().startswith("LOC"):
            columns = line.split()[1:]
        elif columns and re.match(r"^[0-9a-f]{16} ", line):
            words = re.sub(r" \(\w+\)", "", line).split()  # "r10 (r10)"
            rows.append((int(words[0], 16), dict(zip(columns, words[1:]))))
        elif line.startswith("Contents of"):
            done()
            pc = cie = None
    return fdes


DEBIAN = ["/bin/bash", "/lib*/ld-linux-*.so.?", "/lib/*-linux-gnu/libc.so.6",
          "/usr/lib/*-linux-gnu/libcrypto.so.3", "/usr/lib/*-linux-gnu/libstdc++.so.6",
          "/usr/aarch64-linux-gnu/lib/libc.so.6"]


def leaves(elf):
    """The addresses of LEAVE in the code."""
    data = pathlib.Path(elf).read_bytes()
    found = []
    for i in range(struct.unpack_from("<H", data, 56)[0]):
        at = struct.unpack_from("<Q", data, 32)[0] + 56 * i
        kind, flags, off, addr, _, length = struct.unpack_from("<IIQQQQ", data, at)
        if kind == 1 and flags & 1:
            found += [addr + m.start()
                      for m in re.finditer(re.escape(LEAVE), data[off:off + length])]
    return found


class Judge:
    """Translates a row of readelf into the expected row: (cfa, ra, fp)."""

    def __init__(self, elf, machine, entry):
        self.arm = machine == "AArch64"
        self.regs = ARM if self.arm else X86
        self.fp, self.ra_reg = ("x29", 30) if self.arm else ("rbp", 16)
        self.entry = entry
        self.leaves = [] if self.arm else leaves(elf)
        self.found = expression_texts(elf)
        self.unknown = collections.Counter()

    def text(self, fde, column, at):
        last = None
        for where, text in self.found[fde.start, column]:
            if where <= at:
                last = text
        return last or ""

    def cfa(self, fde, at, printed):
        if printed != "exp":
            reg, off = re.match(r"(\w+?)([+-]\d+)$", printed).groups()
            return self.regs[reg] + off if reg in self.regs else None
        text = self.text(fde, "cfa", at)
        for pattern, form in EXPRESSIONS:
            match = re.fullmatch(pattern, text)
            if match and all(-2**31 <= int(n) < 2**31 for n in match.groups()):
                if len(match.groups()) == 2 and int(match[2]) > 127:
                    return None
                return form.format(*map(int, match.groups()))
        self.unknown[text] += 1
        return None

    def pieces(self, start, end, cfa):
        """Splits a row where gcc's description becomes wrong; yields (start, end)."""
        i = bisect.bisect_left(self.leaves, start)
        if cfa == "r10+0" and i < len(self.leaves) and start < self.leaves[i] < end:
            return [(start, self.leaves[i]), (self.leaves[i], end)]
        return [(start, end)]

    def saved_fp(self, fde, at, printed, cfa):
        if printed == "exp" and (cfa == "rsp+8" or cfa == "r10+0" and at in self.leaves):
            return "u"
        if printed == "u":
            return "lost" if self.text(fde, "fp", at) == "undefined" else "u"
        if printed == "s":
            return "u"
        if printed.startswith("c"):
            return printed
        if printed == "exp":
            match = re.fullmatch(r"DW_OP_breg6 \(rbp\): (-?\d+)", self.text(fde, "fp", at))
            return f"fp{int(match[1]):+d}" if match else "lost"
        return "lost"

    def want(self, fde, at, row):
        cfa = self.cfa(fde, at, row["CFA"])
        ra = row.get("ra", "u")
        if fde.start <= self.entry < fde.end:
            return ("root", "u", "u")
        if fde.signal:
            return ("signal" if self.arm or cfa == "*sp+160" else "none", "u", "u")
        if ra == "u" and (not self.arm or self.text(fde, "ra", at) == "undefined"):
            return ("root", "u", "u")
        sp = row.get("sp" if self.arm else "rsp", "u")
        if not cfa or fde.ra != self.ra_reg or sp not in ("u", "v+0"):
            return ("none", "u", "u")
        if not re.fullmatch("c[+-][0-9]+|[us]", ra):
            return ("none", "u", "u")
        fp = self.saved_fp(fde, at, row.get(self.fp, "u"), row["CFA"])
        return (cfa, "u" if ra == "s" else ra, fp)


class Rows:
    """The output of print_rows."""

    def __init__(self, lines):
        self.rows = []
        for line in lines:
            if line[0] == "#":
                self.summary = line
                continue
            start, end, *what = line.split()
            self.rows.append((int(start, 16), int(end, 16), tuple(what)))
        self.starts = [row[0] for row in self.rows]

    def between(self, start, end):
        i = max(bisect.bisect_right(self.starts, start) - 1, 0)
        while i < len(self.rows) and self.rows[i][0] < end:
            if self.rows[i][1] > start:
                yield self.rows[i]
            i += 1


def header_of(elf):
    text = "\n".join(readelf("-h", elf))
    entry = re.search(r"Entry point.*0x(\w+)", text)[1]
    return re.search(r"Machine: +(.*)", text)[1], int(entry, 16)


def by_callee(row, have, fdes):
    """If no rule can express a row, there may still be a rule for the last byte of a call in it,
    because the callee saves the register on which the CFA is based."""
    reg, add = re.match(r"(\w+?)\+(\d+)$", row["CFA"]).groups()
    slot = re.match(rf"\*sp([+-]\d+)\+{add}$", have[2][0])
    return have[1] - have[0] == 1 and slot and any(r.get(reg) == "c" + slot[1] for f in fdes
                                                   for _, r in f.rows)


def differences(judge, rows, fde, row, start, end):
    want = judge.want(fde, start, row)
    have = list(rows.between(start, end))
    if want[0] == "none" and re.match(r"(rbx|r1[2-5])\+", row["CFA"]):
        have = [(*r[:2], want) if by_callee(row, r, judge.fdes) else r for r in have]
    covered = sum(min(r[1], end) - max(r[0], start) for r in have)
    if covered != end - start or any(r[2] != want for r in have):
        yield want, [r[2] for r in have]


def compare(elf, rows):
    """The list of differences, and the numbers of compared rows and FDEs."""
    elf = elf.split(",")[-1]
    judge = Judge(elf, *header_of(elf))
    fdes = judge.fdes = sorted(read_fdes(elf))
    wrong, n = [], 0
    for i, fde in enumerate(fdes):
        limit = min(fde.end, fdes[i + 1].start) if i + 1 < len(fdes) else fde.end
        for k, (at, row) in enumerate(fde.rows):
            until = min(fde.rows[k + 1][0] if k + 1 < len(fde.rows) else fde.end, limit)
            if at >= until:
                continue
            n += 1
            wrong += [f"{elf}: {start:x}-{end:x} of {fde.start:x}: expected {want}, got {have}"
                      for start, end in judge.pieces(at, until, row["CFA"])
                      for want, have in differences(judge, rows, fde, row, start, end)]
    return wrong, n, len(fdes), judge.unknown


def print_rows(program, elf, *options):
    done = subprocess.run([program, *options, *elf.split(",")], capture_output=True, text=True,
                          check=True, timeout=60)
    return Rows(done.stdout.splitlines())


def judge(program, elf):
    rows = print_rows(program, elf)
    wrong, n, fdes, unknown = compare(elf, rows)
    print(f"{elf}: {n} rows of {fdes} functions were compared, with {len(wrong)} differences\n  "
          f"{rows.summary}")
    for text, times in unknown.most_common():
        print(f"  no rule can express these {times} rows: {text}")
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return n > 0 and not wrong


def like(have, want, saved):
    """The CFA of a row derived from instructions may be based on the other register. After a push
    of fp and until fp changes, and again after the pop of fp, fp is in two places; the same holds
    for lr. @saved has both places."""
    cfa = have[0][:2] != want[0][:2] or have[0] == want[0]
    places = [(want[i], "u") if want[i][0] == "c" else (want[i], *saved[i]) for i in (1, 2)]
    return cfa and have[1] in places[0] and have[2] in places[1]


def compare_flow(elf, rows):
    """The numbers of bytes with a right row, with a wrong row, and without a row."""
    truth = Judge(elf, *header_of(elf))
    right = wrong = none = 0
    for fde in read_fdes(elf):
        columns = {1: "ra" if truth.arm else "", 2: truth.fp}
        saved = {i: {at for _, row in fde.rows if (at := row.get(column, "u"))[0] == "c"}
                 for i, column in columns.items()}
        for k, (at, row) in enumerate(fde.rows):
            until = fde.rows[k + 1][0] if k + 1 < len(fde.rows) else fde.end
            want = truth.want(fde, at, row)
            if want[0][:2] not in ("sp", "fp"):
                continue
            have = [(min(r[1], until) - max(r[0], at), like(r[2], want, saved))
                    for r in rows.between(at, until)]
            right += sum(n for n, same in have if same)
            wrong += sum(n for n, same in have if not same)
            none += until - at - sum(n for n, _ in have)
    return right, wrong, none


def judge_flow(program, elf):
    right, wrong, none = compare_flow(elf, print_rows(program, elf, "--flow"))
    total = right + wrong + none
    print(f"{elf}: of {total} bytes, {right / total:.2%} have the right row, and {wrong} have a "
          "wrong row")
    return right > 0.8 * total and wrong <= total / 10000


def main():
    by_flow = sys.argv[1] == "--flow"
    program, *files = sys.argv[1 + by_flow:]
    debian = sorted({os.path.realpath(path) for name in DEBIAN for path in glob.glob(name)})
    results = [(judge_flow if by_flow else judge)(program, elf)
               for elf in files + ([] if by_flow else debian)]
    # Negative control: the comparison must detect wrong rows.
    if by_flow:
        broken = print_rows(program, files[0], "--flow", "--shift")
        results.append(compare_flow(files[0], broken)[1] > 0)
    else:
        results.append(len(compare(files[0], print_rows(program, files[0], "--ignore-fp"))[0]) > 0)
    if not results[-1]:
        print(f"{files[0]}: the comparison did not detect wrong rows")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
