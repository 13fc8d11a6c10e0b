#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `unspool jitdump repair`, `to-perfmap`, `from-elf` and `elf`."""

import os
import re
import struct
import subprocess

from faulty import TABLE, whole
from jd import DEBUG, IMAGE, LOAD, UNWIND, Checks, Dump, folder, jitdump, name_of, read, records, write

HOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "hot.c")

# The rules whose faults repair can't fix.
STAYS = {"time-wall", "time-future", "arch-time"}
# How many LOAD records repair drops if a rule is broken; with other rules it drops none.
LOST = {"record-short": 1, "load-name": 1, "load-no-code": 1, "load-addr": 1, "partial-tail": 0}


def names(data):
    return [name_of(r) for _, kind, r in records(data) if kind == LOAD]


def test_table(checks, path, out):
    """Checks that repair makes each faulty file valid."""
    for words, dump, rules in TABLE:
        if dump.order == ">" or "machine-zero" in rules or "header-size" in rules:
            continue
        write(path, dump)
        done = jitdump("repair", path, "-o", out)
        stays = set(rules) & STAYS - ({"arch-time"} if "arch-time-wrong" in rules else set())
        if not checks.equal(done.returncode, 1 if stays else 0,
                            f"{words}: `repair` exits with {1 if stays else 0}"):
            print(done.stderr)
            continue
        if not stays and "pid-name" not in rules:
            checks.equal(jitdump("check", out).returncode, 0,
                         f"{words}: `check` reports nothing for the repaired file", quiet=True)
        had, has = names(dump.data), names(read(out))
        lost = sum(LOST.get(rule, 0) for rule in rules)
        if "record-short" not in rules and "load-name" not in rules:
            checks.equal(len(has), len(had) - lost,
                         f"{words}: `repair` keeps all code that is not damaged", quiet=True)
        checks.that(set(has) <= set(had),
                    f"{words}: the repaired file has only names of the damaged file", quiet=True)


def mended(path, out, dump, *args):
    write(path, dump)
    done = jitdump("repair", path, "-o", out, *args)
    assert done.returncode in (0, 1), done.stderr
    return done, list(records(read(out)))


def entries(record):
    at, found = 32, []
    for _ in range(struct.unpack_from("<Q", record, 24)[0]):
        addr, line, column = struct.unpack_from("<QII", record, at)
        end = record.index(b"\0", at + 16)
        found.append((addr, line, column, record[at + 16:end]))
        at = end + 1
    return found


def test_mending(checks, path, out):
    lines = [(0x1000, 3, 1, b"a.js"), (0x1008, 4, 2, b"b.js")]
    closed = lines + [(0x1010, 4, 2, b"b.js")]
    _, got = mended(path, out, Dump().load(b"f").load(b"g", 0x2000).debug(lines))
    checks.equal([kind for _, kind, _ in got], [DEBUG, LOAD, LOAD],
                 "`repair` moves lines before the code to which the lines belong")
    checks.equal(entries(got[0][2]), closed, "`repair` adds a closing entry to lines")
    _, got = mended(path, out, Dump().debug(lines).debug([(0x2000, 7, 0, b"c.js")], 0x2000)
                    .load(b"f").load(b"g", 0x2000))
    checks.equal([kind for _, kind, _ in got], [DEBUG, LOAD, DEBUG, LOAD],
                 "`repair` moves each function's lines before the function's code if, as in "
                 "files of LLVM, all lines precede all code")
    checks.equal([entries(r)[0][3] for _, kind, r in got if kind == DEBUG], [b"a.js", b"c.js"],
                 "in the repaired file, each function has its own lines")
    _, got = mended(path, out, Dump(pad=0xDEADBEEF).debug([(a + 0x40, *rest) for a, *rest in lines]).load())
    checks.equal((entries(got[0][2]), struct.unpack_from("<I", read(out), 16)[0]), (closed, 0),
                 "`repair` removes V8's offset of line addresses and V8's mark in the header")
    _, got = mended(path, out, Dump().debug(closed[:1] + [(0x1008, 4, 2, b"\xff")]).load())
    checks.equal([e[3] for e in entries(got[0][2])], [b"a.js"] * 3,
                 "`repair` writes a source file's name in full where the input only marks it as repeated")
    _, got = mended(path, out, Dump().unwind(hdr_first=True).load())
    kind, record = got[0][1:]
    checks.equal((kind, record[40:44], record[52:56]), (UNWIND, b"\x14\0\0\0", b"\1\x1b\3\x3b"),
                 "`repair` moves .eh_frame before .eh_frame_hdr")
    for slack, words in ((b"\xcc" * 9, "before"), (b"\0" * 9, "after")):
        dump = Dump().load(b"f", slack=slack) if words == "before" else Dump().load(
            b"f", slack=b"\xc3" * 16, code=b"\0" * 9, code_size=16)
        _, got = mended(path, out, dump)
        checks.equal(got[0][2][-18:], b"f\0" + b"\xc3" * 16,
                     f"`repair` removes extra bytes {words} the code")
    _, got = mended(path, out, Dump().load(b"late", time=5000).load(b"early", 0x2000, time=3000))
    checks.equal(names(read(out)), ["early", "late"], "`repair` sorts records by time")
    _, got = mended(path, out, Dump().load().load(b"g", 0x2000, index=0).move(0x2000, 0x4000, index=0))
    checks.equal([struct.unpack_from("<Q", r, 48 if k == LOAD else 56)[0] for _, k, r in got], [0, 1, 1],
                 "`repair` renumbers code, also in MOVE records")
    checks.equal(struct.unpack_from("<QQ", got[2][2], 32), (0x2000, 0x4000),
                 "`repair` keeps a MOVE record")
    _, got = mended(path, out, Dump().load().move(0x1008, 0x4000))
    checks.equal([kind for _, kind, _ in got], [LOAD],
                 "`repair` drops a MOVE record whose old address is not the start of code")
    cie = b"\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b" + b"\0" * 7
    done, got = mended(path, out, Dump(mach=0).unwind(cie).load())
    checks.equal((struct.unpack_from("<I", read(out), 12)[0], done.returncode), (62, 0),
                 "`repair` infers a missing machine from the unwind data")
    done, _ = mended(path, out, Dump(mach=0).load(), "--machine", "arm64")
    checks.equal((struct.unpack_from("<I", read(out), 12)[0], done.returncode), (183, 0),
                 "`repair` takes a missing machine from --machine")
    done, _ = mended(path, out, Dump(mach=0).load())
    checks.equal(done.returncode, 1, "`repair` fails if the machine stays unknown")
    _, got = mended(path, out, Dump(size=128).raw(b"\0" * 88).load(b"f"))
    checks.equal((names(read(out)), struct.unpack_from("<I", read(out), 8)[0]), (["f"], 40),
                 "`repair` shortens a long header")


def test_resync(checks, path, out):
    dump = Dump().load(b"f").load(b"g", 0x2000).load(b"h", 0x3000)
    places = [at for at, _, _ in records(dump.data)] + [len(dump.data)]
    hurt = dump.data[:places[1] + 30] + dump.data[places[2]:]  # without the last part of g
    write(path, hurt)
    for args, want in (((), ["f"]), (("--resync",), ["f", "h"])):
        jitdump("repair", path, "-o", out, *args)
        checks.equal(names(read(out))[:2], want,
                     f"`repair` {' '.join(args) or 'without --resync'} keeps the records {want} "
                     "around a gap")
    write(path, dump.data[:places[1]] + b"\7" * 100 + dump.data[places[1]:])
    jitdump("repair", path, "-o", out, "--resync")
    checks.equal(names(read(out)), ["f", "g", "h"],
                 "`repair --resync` skips bytes that are no record between records")


def test_order(checks, path, out):
    """Checks that repair keeps the other byte order of a file."""
    write(path, whole(">", 22))
    done = jitdump("repair", path, "-o", out)
    was, now = (jitdump("dump", "--json", "--lines", name).stdout.splitlines() for name in (path, out))
    strip = [line.split('"name"')[-1] for line in was if '"name"' in line]
    checks.equal((done.returncode, read(out)[:4]), (0, b"JiTD"),
                 "`repair` keeps the other byte order")
    checks.equal([line.split('"name"')[-1] for line in now if '"name"' in line], strip,
                 "`repair` keeps the records of a file in the other byte order")


def test_perfmap(checks, path, out):
    write(path, Dump().load(b"a").load(b"b\nc", 0x2000).load(b"d").load(b"s", 0x9000, b"", code_size=64)
          .move(0x2000, 0x5000, index=1))
    done = jitdump("to-perfmap", path)
    checks.equal(done.stdout, "1000 10 d\n9000 40 s\n5000 10 b?c\n",
                 "`to-perfmap` writes the code that is live at the end of the file")
    done = jitdump("to-perfmap", path, "--at", "0.00000102")
    checks.equal(done.stdout, "1000 10 a\n2000 10 b?c\n",
                 "`to-perfmap --at` writes the code that is live at the given time")
    done = jitdump("to-perfmap", path, "--all", "-o", out)
    checks.equal(len(read(out).splitlines()), 5,
                 "`to-perfmap --all` writes all code that was ever loaded")
    checks.equal(jitdump("to-perfmap", path, "-o", "/nowhere/x").returncode, 1,
                 "`to-perfmap` fails if the output's folder does not exist")


def test_elf(checks, path):
    image, out = os.path.join(path, "hot.so"), os.path.join(path, "jit-9.dump")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-g", "-o", image, HOT], check=True)
    done = jitdump("from-elf", image, "-o", out, "--bias", "0x10000000", "--prefix", "p::", "--pid", "9")
    symbols = dict((line.split()[2], line.split()[0]) for line in subprocess.run(
        ["nm", image], capture_output=True, text=True, check=True).stdout.splitlines()
                   if len(line.split()) == 3)
    found = {name_of(r): struct.unpack_from("<Q", r, 32)[0] for _, k, r in records(read(out)) if k == LOAD}
    checks.equal({n: found.get("p::" + n) for n in ("f", "work")},
                 {n: int(symbols[n], 16) + 0x10000000 for n in ("f", "work")},
                 "`from-elf` adds the "
                                                                               "bias to each "
                                                                               "function's "
                                                                               "address in nm")
    code = {name_of(r): r[r.index(b"\0", 56) + 1:] for _, k, r in records(read(out)) if k == LOAD}
    checks.that(code["p::work"] in read(image), "`from-elf` writes the bytes of functions")
    checks.equal((done.returncode, jitdump("check", "-q", out).returncode), (0, 0),
                 "`check` reports nothing for the output of `from-elf`")
    jitdump("from-elf", image, "-o", out, "--one-record", "--pid", "9")
    kinds = [kind for _, kind, _ in records(read(out))]
    first = next(r for _, kind, r in records(read(out)) if kind == DEBUG)
    checks.equal((kinds, {e[3].split(b"::")[-1] for e in entries(first)}),
                 ([DEBUG, LOAD], {b"f", b"work", b"a_function_with_a_rather_long_name"}),
                 "`from-elf --one-record` writes one LOAD record and writes names of functions "
                 "into file names")
    stripped = os.path.join(path, "stripped.so")
    subprocess.run(["strip", "-o", stripped, image], check=True)
    jitdump("from-elf", stripped, "-o", out, "--fallback", "wasm-function[%u]")
    checks.equal(names(read(out)), ["wasm-function[0]"],
                 "`from-elf` gives the code of a stripped file the name in --fallback")
    subprocess.run(["gcc", "-c", "-g", "-o", image, HOT], check=True)
    checks.equal(jitdump("from-elf", image, "-o", out).returncode, 1,
                 "`from-elf` refuses an object file that is not linked")
    checks.equal(names(read(out)), ["wasm-function[0]"],
                 "if `from-elf` fails, the old output file stays")
    checks.equal(sorted(os.listdir(path)), ["hot.so", "jit-9.dump", "stripped.so"],
                 "if `from-elf` fails, the folder has no new file")


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False).stdout


SPLIT = """
__attribute__((cold, noinline)) void fail(int x) { __asm__ volatile("" :: "r"(x)); }
int f(int x) { if (__builtin_expect(x > 100, 0)) { fail(x); fail(x + 1); return -1; } return x * 3; }
"""
NESTED = """
namespace n { struct S { int m(int x); struct T { static int t(int x); }; }; }
int n::S::m(int x) { return x * 3 + T::t(x); }
__attribute__((noinline)) int n::S::T::t(int x) { return x + 4; }
extern "C" int plain(int x) { return n::S::T::t(x); }
"""


def functions_of(path, source, *compiler):
    """Compiles a program; returns {name: address} from the output of from-elf, and the same from
    nm."""
    name, image, out = (os.path.join(path, name) for name in ("a.src", "a.so", "jit-9.dump"))
    write(name, source.encode())
    subprocess.run([*compiler, "-shared", "-fPIC", "-g", "-O2", "-nostdlib", "-o", image, name], check=True)
    done = jitdump("from-elf", image, "-o", out, "--pid", "9")
    assert done.returncode == 0, done.stderr
    found = {name_of(r): struct.unpack_from("<Q", r, 32)[0] for _, k, r in records(read(out)) if k == LOAD}
    symbols = {n: int(a, 16) for a, kind, n in map(str.split, run("nm", image).splitlines()) if kind in "tT"}
    return found, symbols


def test_functions(checks, path):
    found, symbols = functions_of(path, SPLIT, "gcc", "-x", "c")
    checks.equal((found.get("f"), found.get("f.part.1")), (symbols["f"], symbols["f.cold"]),
                 "`from-elf` writes two records for a function in two parts")
    found, symbols = functions_of(path, NESTED, "clang", "-x", "c++")
    found.pop("a.so", None)
    checks.equal(found, symbols, "`from-elf` writes C++ functions under their linker names")
    image = os.path.join(path, "hot.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-g", "-o", image, HOT], check=True)
    size = max(int(line.split()[5], 16) for line in run("readelf", "-lW", image).splitlines() if " R E " in line)
    said = run(IMAGE, path, image, "0", "", str(size - 1))
    checks.that(" outside 3 " in said and "records 1 " in said,
                "jdw_add_image() leaves out functions that end outside of the copied code")


def test_images(checks, path):
    """Checks that from-elf writes the lines of every unit, compressed or not, even if addresses
    begin at 0."""
    sources = []
    for name in ("one", "two", "three"):
        sources.append(write(os.path.join(path, name + ".c"), f"int {name}(int x)\n{{\n\treturn x * 7;\n}}\n".encode()))
    image, out = os.path.join(path, "units.so"), os.path.join(path, "jit-9.dump")
    for options, base in (((), None), (("-gz=zlib",), None), (("-Wl,-Ttext=0",), 0), (("-gdwarf-4", "-gz"), None)):
        subprocess.run(["gcc", "-shared", "-nostdlib", "-fPIC", "-g", "-O1", *options, "-o", image, *sources], check=True)
        words = "three units " + " ".join(options)
        if "-gz" in "".join(options):
            checks.that(re.search(r"debug_line.* C ", run("readelf", "-SW", image)),
                        f"{words}: the linker compressed the section of lines")
        done = jitdump("from-elf", image, "-o", out, "--pid", "9")
        symbols = {n: int(a, 16) for a, kind, n in map(str.split, run("nm", image).splitlines()) if kind == "T"}
        found, lines = {}, {}
        for _, kind, record in records(read(out)):
            if kind == LOAD:
                found[name_of(record)] = struct.unpack_from("<Q", record, 32)[0]
            elif kind == DEBUG:
                lines.update({e[3].decode().rsplit("/", 1)[-1]: e[1] for e in entries(record)})
        checks.equal((done.returncode, {n: found.get(n) for n in symbols}), (0, symbols),
                     f"{words}: `from-elf` writes all functions")
        checks.equal(set(lines), {"one.c", "two.c", "three.c"},
                     f"{words}: `from-elf` writes lines of each unit")
        if base is not None:
            checks.equal(min(symbols.values()), base,
                         f"{words}: the first function is at address {base}")


def test_to_elf(checks, path):
    """Checks the output of elf with binutils, elfutils and LLVM, also for other machines."""
    dump, out = os.path.join(path, "jit-812.dump"), os.path.join(path, "code.elf")
    for order, mach, words in (("<", 62, "X86-64"), ("<", 183, "AArch64"), (">", 22, "S/390"),
                               (">", 21, "PowerPC64"), ("<", 3, "Intel 80386")):
        lines = [(0x2000, 3, 7, b"/src/a.js"), (0x2008, 300, 1, b"/src/b.js"), (0x2010, 300, 1, b"/src/b.js")]
        write(dump, Dump(order, mach).load(b"gone", 0x2000).load(b"plain", 0x80000).debug(lines, 0x2000)
              .load(b"lines", 0x2000, bytes(range(16))).load(b"moved", 0x5000).move(0x5000, 0x6000, index=3))
        done = jitdump("elf", dump, "-o", out)
        checks.equal(done.returncode, 0,
                     f"{words}: `elf` exits with 0: {done.stderr.strip()[-20:]}")
        checks.that(words in run("readelf", "-h", out), f"{words}: the ELF header has the machine")
        checks.equal([(int(a, 16), n) for a, _, n in map(str.split, run("nm", out).splitlines())],
                     [(0x2000, "lines"), (0x6000, "moved"), (0x80000, "plain")], f"{words}: nm "
                                                                                 "prints the "
                                                                                 "live functions")
        checks.that("No errors" in run("eu-elflint", "--gnu", out),
                    f"{words}: eu-elflint reports no error")
        checks.equal(run("eu-addr2line", "-f", "-e", out, "0x2003", "0x200f").split(),
                     ["lines", "/src/a.js:3:7", "lines", "/src/b.js:300:1"], f"{words}: "
                                                                             "eu-addr2line "
                                                                             "prints the right "
                                                                             "lines")
        checks.that("No errors." in run("llvm-dwarfdump", "--verify", out),
                    f"{words}: llvm-dwarfdump reports no error")
    write(dump, Dump().load(b"old", time=2000).load(b"new", time=3000))
    jitdump("elf", dump, "-o", out, "--at", "0.0000025")
    checks.that(" old" in run("nm", out) and " new" not in run("nm", out),
                "`elf --at` writes the code that is live at the given time")
    for dump_of, words in ((Dump(),
                            "a jitdump without live "
                            "code"), (Dump(mach=0).load(), "a jitdump without a machine")):
        write(dump, dump_of)
        if os.path.exists(out):
            os.unlink(out)
        done = jitdump("elf", dump, "-o", out)
        checks.that(done.returncode == 1 and len(done.stderr.splitlines()) == 1 and not os.path.exists(out),
                    f"{words}: `elf` reports the fault in one line and leaves no file")


def main():
    checks = Checks()
    with folder() as path:
        dump, out = os.path.join(path, "jit-812.dump"), os.path.join(path, "out/jit-812.dump")
        os.mkdir(os.path.dirname(out))
        test_table(checks, dump, out)
        test_mending(checks, dump, out)
        test_resync(checks, dump, out)
        test_order(checks, dump, out)
        test_perfmap(checks, dump, out)
        checks.equal(os.listdir(os.path.dirname(out)), ["jit-812.dump"],
                     "repair and to-perfmap leave no temporary file")
    with folder() as path:
        test_elf(checks, path)
    with folder() as path:
        test_to_elf(checks, path)
        test_functions(checks, path)
        test_images(checks, path)
    return checks.end()


raise SystemExit(main())
