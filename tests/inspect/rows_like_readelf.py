#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Unwind rows against what binutils says of the same file.

rows_like_readelf.py PRINT_ROWS ELF...

`readelf -wF` is the truth for every row of every function; where it only says `exp`,
the text of the expression in `readelf -wf` is. What no rule can say must be `none`.
"""

import bisect
import collections
import re
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
]

Fde = collections.namedtuple("Fde", "start end rows signal ra")


def readelf(option, elf):
    done = subprocess.run(["readelf", option, elf], capture_output=True, text=True, check=True,
                          timeout=60)
    return done.stdout.splitlines()


def expressions(elf):
    """{(start of FDE, column): [(address, text)]}, an address being where an expression begins to
    hold, or with text None something else; and FDEs' explicit `undefined`."""
    found = collections.defaultdict(list)
    start = at = None
    undefined = set()
    stack = []
    for line in readelf("-wNf", elf):
        pc = PC.search(line)
        if pc:
            start = at = int(pc[2], 16)
            stack = []
        elif " CIE" in line:
            start = None
        if start is None:
            continue
        moved = re.search(r"advance_loc\S*: \d+ to ([0-9a-f]+)", line)
        if moved:
            at = int(moved[1], 16)
        elif "DW_CFA_remember_state" in line:
            stack.append({c: found[start, c][-1][1] for c in ("cfa", "fp") if found.get((start, c))})
        elif "DW_CFA_restore_state" in line:
            kept = stack.pop()
            for column in ("cfa", "fp"):
                found[start, column].append((at, kept.get(column)))
        elif "DW_CFA_def_cfa" in line:
            text = re.search(r"def_cfa_expression \((.*)\)", line)
            found[start, "cfa"].append((at, text[1] if text else None))
        elif re.search(r"DW_CFA_\w+: r(6 \(rbp\)|29 \(x29\))", line) and "def_cfa" not in line:
            text = re.search(r"DW_CFA_expression: \S+ \S+ \((.*)\)", line)
            found[start, "fp"].append((at, text[1] if text else None))
        gone = re.search(r"DW_CFA_undefined: r(\d+) ", line)
        if gone:
            undefined.add((start, int(gone[1])))
    return found, undefined


def told(elf):
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


class Judge:
    """Says of one row of readelf what ours must be: (cfa, ra, fp)."""

    def __init__(self, elf, machine, entry):
        self.arm = machine == "AArch64"
        self.regs = ARM if self.arm else X86
        self.fp, self.ra_reg = ("x29", 30) if self.arm else ("rbp", 16)
        self.entry = entry
        self.found, self.undefined = expressions(elf)
        self.unknown = collections.Counter()

    def text(self, fde, column, at):
        last = None
        for where, text in self.found[fde.start, column]:
            if where <= at:
                last = text
        return last or ""

    def cfa(self, fde, at, said):
        if said != "exp":
            reg, off = re.match(r"(\w+?)([+-]\d+)$", said).groups()
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

    def saved_fp(self, fde, at, said):
        if said == "u":
            return "lost" if (fde.start, 29 if self.arm else 6) in self.undefined else "u"
        if said == "s":
            return "u"
        if said.startswith("c"):
            return said
        if said == "exp":
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
        if ra == "u" and (not self.arm or (fde.start, self.ra_reg) in self.undefined):
            return ("root", "u", "u")
        sp = row.get("sp" if self.arm else "rsp", "u")
        if not cfa or fde.ra != self.ra_reg or sp not in ("u", "v+0") or not re.fullmatch("c[+-][0-9]+|[us]", ra):
            return ("none", "u", "u")
        return (cfa, "u" if ra == "s" else ra, self.saved_fp(fde, at, row.get(self.fp, "u")))


class Rows:
    """What print_rows printed."""

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
    return (re.search(r"Machine: +(.*)", text)[1], int(re.search(r"Entry point.*0x(\w+)", text)[1], 16))


def compare(elf, rows):
    """The list of differences, and how many rows and FDEs were compared."""
    judge = Judge(elf, *header_of(elf))
    fdes = sorted(told(elf))
    wrong, n = [], 0
    for i, fde in enumerate(fdes):
        limit = min(fde.end, fdes[i + 1].start) if i + 1 < len(fdes) else fde.end
        for k, (at, row) in enumerate(fde.rows):
            until = min(fde.rows[k + 1][0] if k + 1 < len(fde.rows) else fde.end, limit)
            if at >= until:
                continue
            n += 1
            want = judge.want(fde, at, row)
            have = list(rows.between(at, until))
            covered = sum(min(r[1], until) - max(r[0], at) for r in have)
            if covered != until - at or any(r[2] != want for r in have):
                wrong.append(f"{elf}: {at:x}-{until:x} of {fde.start:x}: want {want}, have "
                             f"{have[0][2] if have else None}")
    return wrong, n, len(fdes), judge.unknown


def print_rows(program, elf, *options):
    done = subprocess.run([program, *options, elf], capture_output=True, text=True, check=True,
                          timeout=60)
    return Rows(done.stdout.splitlines())


def main():
    program, *files = sys.argv[1:]
    failed = passed = 0
    for elf in files:
        rows = print_rows(program, elf)
        wrong, n, fdes, unknown = compare(elf, rows)
        print(f"{elf}: {n} rows of {fdes} functions, {len(wrong)} differ\n  {rows.summary}")
        for text, times in unknown.most_common():
            print(f"  no rule ({times} rows): {text}")
        print("\n".join(wrong[:10]))
        ok = not wrong and n > 0
        if "--ignore-fp" and not compare(elf, print_rows(program, elf, "--ignore-fp"))[0]:
            print(f"{elf}: the comparison did not notice that saved frame pointers were forgotten")
            ok = False
        passed, failed = passed + ok, failed + (not ok)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or not files


if __name__ == "__main__":
    sys.exit(main())
