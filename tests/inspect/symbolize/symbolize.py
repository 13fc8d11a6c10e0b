#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compiles programs, and compares the names and lines that the library finds for each of their
instructions with those of llvm-symbolizer, addr2line, eu-addr2line, objdump and nm.

    symbolize.py SYMBOLIZE    (see symbolize.c)

Known disagreements, which limit the comparison with a program:
* addr2line 2.40 gives the innermost inlined function the name of the symbol around it (gcc), and
  does not know clang's inlined functions in DWARF 5: only gcc's files and lines are compared.
* eu-addr2line 0.188 needs .debug_aranges, which clang omits: only gcc's programs are compared.
  Where the ranges of two inlined functions overlap, eu-addr2line may choose the other function, so
  only 99 % must agree.
* llvm-symbolizer reads the outermost function's name from .symtab, but this library reads
  the name from DWARF here:
  everything except the name of the outermost frame is compared."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
SYMBOLIZE = os.path.realpath(sys.argv[1])
PASSED, FAILED = [], []


def expect(good, words):
    (PASSED if good else FAILED).append(words)
    print(f"{'ok' if good else 'FAILED'}: {words}", flush=True)


def run(*argv, lines=()):
    return subprocess.run(argv, input="\n".join(lines), capture_output=True, text=True, timeout=200,
                          check=True).stdout


def instructions(path):
    return re.findall(r"^ +([0-9a-f]+):\t", run("objdump", "-d", "--no-show-raw-insn", path), re.M)


def ours(pcs, *files):
    """{pc: (symbol, offset, [(name, file, line, column), ...])}"""
    out, frames = {}, None
    for line in run(SYMBOLIZE, *files, lines=pcs).splitlines():
        parts = line.strip().split("\t")
        if line.startswith("0x"):
            frames = []
            out[int(parts[0], 16)] = (parts[1], int(parts[2]) if parts[2:] else None, frames)
        else:
            where = re.fullmatch(r"(.*):(\d+):(\d+)", parts[1])
            frames.append((parts[0], os.path.normpath(where[1]), int(where[2]), int(where[3])))
    return out


def theirs(tool, pcs, path):
    """{pc: [(name, file, line, column or None), ...]} by a tool that prints like addr2line"""
    lines = run(*tool, "-a", "-i", "-f", "-e", path, lines=["0x" + pc for pc in pcs]).splitlines()
    out, frames, i = {}, None, 0
    while i < len(lines):
        if re.fullmatch("0x[0-9a-f]+", lines[i]):
            frames = out[int(lines[i], 16)] = []
            i += 1
            continue
        where = re.match(r"(.*?):(\d+|\?)(?::(\d+))?( |$)", lines[i + 1])
        frames.append((re.sub(" inlined at .*", "", lines[i]), os.path.normpath(where[1]),
                       int(where[2]) if where[2] != "?" else 0,
                       int(where[3]) if where[3] else None))
        i += 2
    return out



def by_llvm(pcs, path):
    """As theirs(), but with columns, which llvm-symbolizer prints only in another output format."""
    text = run("llvm-symbolizer", "--no-demangle", "--inlines", "-e", path,
               lines=["0x" + pc for pc in pcs])
    out = {}
    for pc, block in zip(pcs, text.split("\n\n")):
        lines = block.strip().split("\n")
        frames = []
        for name, at in zip(lines[::2], lines[1::2]):
            where = re.fullmatch(r"(.*):(\d+):(\d+)", at)
            line = int(where[2])  # a column is meaningless without a line
            frames.append((name, os.path.normpath(where[1]), line, int(where[3]) if line else 0))
        out[int(pc, 16)] = frames
    return out


def same_lines(known, answers):
    return [f[1:3] for f in known] == [f[1:3] for f in answers]


def same_all(known, answers):
    return [f[1:] for f in known] == [f[1:] for f in answers] and \
        [f[0] for f in known[:-1]] == [f[0] for f in answers[:-1]]


def share(known, answers, same):
    """Returns the number of answers that agree, and a list with one answer that does not."""
    misses = [(hex(pc), v[2], answers[pc]) for pc, v in known.items()
              if not same(v[2], answers[pc])]
    return len(known) - len(misses), misses[:1]


def judge_lines(words, path, is_gcc, debug=None):
    files = [path] + ([debug] if debug else [])
    where = debug or path
    pcs = instructions(path)
    known = {pc: v for pc, v in ours(pcs, *files).items() if v[2]}
    queried = [f"{pc:x}" for pc in known]
    n = len(known)
    expect(n > 1000 and sum(len(v[2]) > 1 for v in known.values()) > n // 4,
           f"{words}: {n} instructions have lines, and many of them have inlined functions")
    same, miss = share(known, by_llvm(queried, where), same_all)
    expect(same == n,
           f"{words}: llvm-symbolizer reports the same for {same} of {n} instructions {miss}")
    if is_gcc:
        same, miss = share(known, theirs(("addr2line",), queried, where), same_lines)
        expect(same == n,
               f"{words}: addr2line reports the same for {same} of {n} instructions {miss}")
        same, miss = share(known, theirs(("eu-addr2line",), queried, where), same_lines)
        expect(same >= n * 0.99,
               f"{words}: eu-addr2line reports the same for {same} of {n} instructions")
    return known, queried, where


def negative_control(known, queried, where):
    """A difference of one column, one line, one name or one frame must be detected."""
    other = by_llvm(queried, where)
    pc = max(known, key=lambda k: len(known[k][2]))
    symbol, off, frames = known[pc]
    for words, wrong in {
            "another column": [(*frames[0][:3], frames[0][3] + 1)] + frames[1:],
            "another line": [(*frames[0][:2], frames[0][2] + 1, frames[0][3])] + frames[1:],
            "another name": [("x", *frames[0][1:])] + frames[1:],
            "a missing frame": frames[1:]}.items():
        same, _ = share({pc: (symbol, off, wrong)}, other, same_all)
        expect(same == 0, f"the comparison detects {words}")


def judge_symbols(words, path, *debug, truth=None):
    """Checks that each function has, at its first and last byte, a name that nm prints."""
    names, lens = {}, {}
    for line in run("nm", "-S", truth or path).splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "TtWwi" and int(parts[1], 16):
            addr = int(parts[0], 16)
            names.setdefault(addr, set()).add(re.sub("@.*|[.]cold$", "", parts[3]))
            lens[addr] = int(parts[1], 16)
    pcs = [f"{a:x}" for a in names] + [f"{a + lens[a] - 1:x}" for a in names]
    known = ours(pcs, path, *debug)
    plain = demangled(set().union(*names.values()))
    wrong = [(hex(a), n, known[a][0]) for a, n in names.items() for at in (a, a + lens[a] - 1)
             if not any(is_name(known[at][0], plain[x]) for x in n) or known[at][1] != at - a]
    expect(len(names) > 3 and not wrong,
           f"{words}: {len(names)} functions have the same names as in nm {wrong[:2]}")


def demangled(names):
    """{name: demangled}"""
    names = sorted(names)
    return dict(zip(names, run("c++filt", lines=names).splitlines()))


def is_name(known, demangled_):
    """The library omits the return type of a template."""
    return demangled_ == known or demangled_.endswith(" " + known)


def judge_stubs(words, path, objdump="objdump"):
    # *ABS* stubs lead to a function that a resolver in the same file selects. They have a name of
    # this function if the file exports it.
    ifuncs = {}
    for addr, name in re.findall(r"^0*([0-9a-f]+) i (.*?)(?:@.*)?$", run("nm", "-D", path), re.M):
        ifuncs.setdefault(f"*ABS*+0x{addr}@plt", set()).add(name + "@plt")
    stubs = dict((int(a, 16), n) for a, n in
                 re.findall(r"^([0-9a-f]+) <(.*@plt)>:$", run(objdump, "-d", path), re.M))
    known = ours([f"{a:x}" for a in stubs], path)
    wrong = [(hex(a), n, known[a][0]) for a, n in stubs.items()
             if known[a][0] not in (ifuncs.get(n, {"?"}) if n.startswith("*ABS*") else {n})]
    expect(stubs and not wrong,
           f"{words}: {len(stubs)} stubs have the same names as in objdump {wrong[:2]}")


def compile_(source, out, *argv):
    """Compiles the source, given as a relative path, as most build systems do."""
    subprocess.run([*argv, os.path.join("src", source), "-o", out], check=True, timeout=100,
                   capture_output=True)
    return out


def check_lines():
    first = None
    for words, argv in {
            "g++, DWARF 5": ("g++", "-O2", "-gdwarf-5"),
            "g++, DWARF 4, compressed": ("g++", "-O2", "-gdwarf-4", "-gz"),
            "g++ -O1, DWARF 5": ("g++", "-O1", "-gdwarf-5"),
            "clang++, DWARF 5, compressed": ("clang++", "-O2", "-gdwarf-5", "-gz"),
            "clang++, DWARF 4": ("clang++", "-O2", "-gdwarf-4"),
            "clang++, lld": ("clang++", "-O3", "-g", "-fuse-ld=lld", "-ffunction-sections",
                             "-Wl,--gc-sections")}.items():
        path = compile_("basket.cc", "basket", *argv)
        judged = judge_lines(words, path, argv[0] == "g++")
        judge_symbols(words, path)
        first = first or judged
        if first is judged:
            negative_control(*judged)


def check_split():
    path = compile_("basket.cc", "basket", "g++", "-O2", "-g")
    run("objcopy", "--only-keep-debug", path, "basket.debug")
    run("cp", path, "whole")
    run("strip", path)
    judge_symbols("stripped program, separate debug file", path, "basket.debug", truth="whole")
    judge_lines("stripped program, separate debug file", path, True, "basket.debug")


def check_dwz():
    """Tests with debug information that `dwz -m` moves from two programs into a third file."""
    paths = [compile_("basket.cc", name, "g++", "-O2", "-g") for name in ("one", "two")]
    pcs = instructions(paths[0])
    want = ours(pcs, paths[0])
    run("dwz", "-m", "common.debug", *paths)
    n_lines = sum(bool(frames) for _, _, frames in want.values())
    expect(n_lines > 1000 and ours(pcs, paths[0], paths[0], "common.debug") == want,
           f"with dwz's common file, {n_lines} addresses have the same lines as before dwz ran")
    expect(not any(frames for _, _, frames in ours(pcs, paths[0]).values()),
           "without dwz's common file, no address has a line")


def check_mini():
    """.gnu_debugdata, as in Fedora: functions that are only in .symtab, compressed with xz."""
    path = compile_("plain.c", "plain", "gcc", "-O2", "-rdynamic")
    judge_symbols("a program in C with an IFUNC", path)
    run("cp", path, "whole")
    run("objcopy", "-S", "--remove-section", ".comment", "--keep-symbol=hidden",
        "--keep-symbol=chosen", path, "mini")
    run("xz", "-f", "mini")
    run("strip", path)
    hidden = re.search(r"^0*([0-9a-f]+) t hidden$", run("nm", "whole"), re.M)[1]
    expect(ours([hidden], path)[int(hidden, 16)][0] == "?",
           "a function of a stripped program has no name")
    run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", path)
    expect(ours([hidden], path)[int(hidden, 16)][0] == "hidden",
           "a function of a stripped program has the name in .gnu_debugdata")


def check_no_sections():
    for words, argv in {"GNU hash": ("-Wl,--hash-style=gnu",),
                        "SysV hash": ("-Wl,--hash-style=sysv",)}.items():
        path = compile_("plain.c", "plain", "gcc", "-O2", "-rdynamic", *argv)
        want = {int(a, 16): n for a, n in
                re.findall(r"^0*([0-9a-f]+) T (\w+)$", run("nm", "-D", path), re.M)}
        with open(path, "r+b") as file:  # e_shoff, then e_shnum and e_shstrndx
            file.seek(0x28)
            file.write(bytes(8))
            file.seek(0x3c)
            file.write(bytes(4))
        known = ours([f"{a:x}" for a in want], path)
        expect(want and all(known[a][0] == n for a, n in want.items()),
               f"{words}: without section headers, PT_DYNAMIC leads to all {len(want)} names")


def check_stubs():
    for words, argv in {
            "gcc": ("gcc",), "gcc, IBT": ("gcc", "-fcf-protection", "-Wl,-z,ibtplt"),
            "gcc, BIND_NOW": ("gcc", "-Wl,-z,now"), "lld": ("clang", "-fuse-ld=lld"),
            "arm64": ("aarch64-linux-gnu-gcc",),
            "arm64, BTI": ("aarch64-linux-gnu-gcc", "-mbranch-protection=standard",
                           "-Wl,-z,force-bti")}.items():
        judge_stubs(words, compile_("plain.c", "plain", *argv, "-O1"),
                    "aarch64-linux-gnu-objdump" if "arm64" in words else "objdump")
    judge_stubs("the C library", run("gcc", "-print-file-name=libc.so.6").strip())


def main():
    with tempfile.TemporaryDirectory(prefix="unspool-symbolize-") as folder:
        os.chdir(folder)
        os.mkdir("src")
        for source in ("basket.cc", "plain.c"):
            shutil.copy(os.path.join(HERE, source), "src")
        check_lines()
        check_split()
        check_dwz()
        check_mini()
        check_no_sections()
        check_stubs()
        os.chdir("/")
    print(f"{len(PASSED)} passed, {len(FAILED)} failed")
    return 1 if FAILED else 0


sys.exit(main())
