# SPDX-License-Identifier: BSD-2-Clause
"""The cases of the recorded corpus, and the judges that accept or refuse them.

The name of a case states the program, and the state in which the program was walked. A case is
accepted only if its symbolized frames are those that the program's source has (nesting.py); no
unwinder takes part in that verdict.
"""

import functools
import glob
import json
import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass

from lib import Checks
from nesting import Judge

SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
RUN_MODES = {  # flags of Node.js, WORK of fixtures/node/known/run.js
    "interpreted": (["--jitless"], 2000),
    "baseline": (["--always-sparkplug", "--no-opt", "--no-maglev"], 4000),
    "optimized": ([], 20000),
}


def flags_of(mode, version):
    """Returns the flags that this version of Node.js accepts."""
    flags = RUN_MODES[mode][0]
    return [f for f in flags if f != "--no-maglev" or int(version.split(".")[0]) >= 20]


@dataclass(frozen=True)
class Want:
    """A case to be recorded.

    `at` is the instruction at which the walk starts. The tuple (symbol, pattern) selects the first
    instruction of the symbol's disassembled code that matches. The tuple (function, bytes, n)
    selects the instruction after the first n of these bytes in the function's compiled code.
    """

    name: str
    mode: str  # a key of RUN_MODES, or the argument of a C program
    at: tuple = ()
    match: str = ""  # a function that must be in the stack
    leaf: str = ""  # required name of frame 0
    kind: str = ""  # required kind of frame 0
    tier: str = ""  # required tier of the innermost function of the program
    ra: str = ""  # place of the return address at the instruction `at`: "sp", "sp+8" or "lr"
    has_record: bool = False  # with ra: frame 0 still has its frame record
    status: str = "complete"
    reason: str = ""
    chain: str = ""  # .NET: the frames of the program, outermost first
    whole: bool = False  # the case includes the pages around the memory that was read
    majors: tuple = ()  # empty: every version


ENTRY = r"."  # matches any instruction, and so selects the first
NODE = {
    "x86_64": (
        Want("interpreted-leaf", "interpreted", match="^leaf$", tier="interpreted", whole=True),
        Want("interpreter-entry", "interpreted", at=("InterpreterEntryTrampoline", ENTRY)),
        Want("interpreter-prologue", "interpreted",
             at=("InterpreterEntryTrampoline", r"^mov +%rsp,%rbp"), ra="sp+8"),
        Want("baseline-leaf", "baseline", match="^leaf$", tier="baseline"),
        Want("baseline-prologue", "baseline", at=("BaselineOutOfLinePrologue", r"^mov +%rsp,%rbp"),
             ra="sp+8"),
        Want("baseline-epilogue", "baseline", at=("BaselineLeaveFrame", r"^pop +%rbp"), ra="sp+8",
             has_record=True),
        Want("builtin-entry", "baseline", at=("ArrayPrototypeSort", ENTRY),
             leaf="ArrayPrototypeSort"),
        Want("optimized-leaf", "optimized", match="^leaf$", tier="turbofan"),
        Want("optimized-prologue", "optimized", at=("tree", b"\x55\x48\x89\xe5", 1), ra="sp+8"),
        Want("optimized-epilogue", "optimized", ra="sp",
             at=("tree", b"\x48\x8b\xe5\x5d\x48\x83\xf9", 10)),
        Want("no-frame-pointer", "baseline", match="^v8::internal::(Builtin|Runtime)_",
             kind="native"),
        Want("deep", "interpreted", match="^down$", majors=("24",)),
        Want("constructors", "baseline", match="^around$", majors=("20", "26")),
        Want("json-reviver", "baseline", match="^revive$", majors=("18", "22")),
    ),
    "arm64": (
        Want("interpreted-leaf", "interpreted", leaf="leaf", tier="interpreted"),
        Want("interpreter-entry", "interpreted", at=("InterpreterEntryTrampoline", ENTRY)),
        Want("interpreter-prologue", "interpreted",
             at=("InterpreterEntryTrampoline", r"^mov\s+x29, sp"), ra="lr"),
        Want("entry-from-c", "interpreted", at=("JSEntry", r"^mov\s+x29, sp"), ra="lr",
             whole=True),
        Want("baseline-leaf", "baseline", tier="baseline"),
        Want("baseline-prologue", "baseline", at=("BaselineOutOfLinePrologue", ENTRY), whole=True),
        Want("baseline-epilogue", "baseline", at=("BaselineLeaveFrame", r"^ret"), ra="lr"),
        Want("builtin-entry", "baseline", at=("ArrayPrototypeSort", ENTRY), ra="lr",
             leaf="ArrayPrototypeSort"),
        Want("optimized-leaf", "optimized", leaf="leaf", tier="turbofan"),
        Want("optimized-prologue", "optimized", ra="lr", whole=True,
             at=("tree", b"\xfd\x7b\xbf\xa9\xfd\x03\x00\x91", 4)),
        Want("optimized-epilogue", "optimized", ra="lr", at=("tree", b"\xc0\x03\x5f\xd6", 0)),
    ),
}
BUSY = {
    "x86_64": (
        Want("body", "", at=("busy_inner", r"^xor"), leaf="busy_inner"),
        Want("entry", "", at=("busy_inner", ENTRY), leaf="busy_inner", ra="sp"),
        Want("prologue", "", at=("busy_inner", r"^mov +%rsp,%rbp"), leaf="busy_inner", ra="sp+8"),
        Want("epilogue", "", at=("busy_inner", r"^ret"), leaf="busy_inner", ra="sp"),
    ),
    "arm64": (
        Want("body", "", at=("busy_inner", r"^eor"), leaf="busy_inner"),
        Want("entry", "", at=("busy_inner", ENTRY), leaf="busy_inner", ra="lr"),
        Want("prologue", "", at=("busy_inner", r"^mov\s+x29, sp"), leaf="busy_inner", ra="lr"),
        Want("epilogue", "", at=("busy_inner", r"^ret"), leaf="busy_inner", ra="lr"),
    ),
}
BELOW = "CFA out of range"
LOST = (
    Want("record-unaligned", "unaligned", status="failed", reason=BELOW),
    Want("record-below", "below", status="failed", reason=BELOW),
    Want("record-far", "far", status="failed", reason=BELOW),
    Want("record-unmapped", "unmapped", status="failed", reason="fault"),
    Want("record-none", "none", status="failed", reason=BELOW),
    Want("record-nowhere", "nowhere", status="truncated", reason="unknown pc"),
)


def for_version(arch, version):
    return [w for w in NODE[arch] if not w.majors or version.split(".")[0] in w.majors]


def instruction(binary, symbol, pattern, objdump="objdump"):
    """Returns (address, offset in the code) of the first instruction of a symbol's code that
    matches."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", f"--disassemble={symbol}", binary],
                          capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^ +([0-9a-f]+):\s+(\S.*)$", text, re.MULTILINE)
    for addr, insn in lines:
        if re.search(pattern, insn):
            return int(addr, 16), int(addr, 16) - int(lines[0][0], 16)
    raise LookupError(f"{symbol} has no instruction {pattern!r}")


def compiled(pid, name, code, before):
    """Finds @code in the optimized code of a function; returns the address after its first @before
    bytes.

    A .NET method is written TYPE::METHOD, and may be compiled at any tier; if it was compiled
    several times, the last code is searched.
    """
    code_of = rf".* {re.escape(name)}\(" if "::" in name else rf"\w+:\*'?{name} "
    with open(f"/tmp/perf-{pid}.map", encoding="utf-8", errors="replace") as file:
        found = re.findall(rf"^(\w+) (\w+) {code_of}", file.read(), re.MULTILINE)
    if not found:
        raise LookupError(f"{name} has not been compiled with optimization")
    start, length = (int(number, 16) for number in found[-1])
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        at = memory.read(length).find(code)
    if at < 0:
        raise LookupError(f"the code of {name} does not contain the bytes {code.hex()}")
    return start + at + before


MAIN = {"": "main", "Node.js": "node::Start(int, char**)"}  # main() of Node.js jumps to it


class NodeJudge:
    """Checks that frames are those of a program in fixtures/node/known."""

    def __init__(self, folder):
        self.judge = Judge(folder)

    def why_not(self, want, note):
        """Returns None, or the reason why a note does not meet @want."""
        frames = note["expected"]["frames"]
        if why := why_not_end(want, note):
            return why
        if want.status != "complete":
            return None
        known = [f for f in frames if f["kind"] == "js" and f.get("file") in self.judge.files]
        stack = [(f["name"], f["file"], f.get("line")) for f in reversed(known) if "name" in f]
        nameless = [i for i, f in enumerate(frames) if f["kind"] == "js" and "name" not in f]
        if not stack or not self.judge.names_exact(stack):
            return f"no program contains this nesting of functions: {[s[0] for s in stack]}"
        if any(i > 1 or "reason" not in frames[i] for i in nameless):
            return f"these JavaScript frames have no name: {nameless}"
        if want.mode != "optimized" and not self.judge.lines_exact(stack):
            return f"the callers are not at the lines of their calls: {stack[-3:]}"
        return why_not_names(want, frames, known)


def why_not_end(want, note):
    """Checks status and reason. A complete stack ends with the frames in which the C library starts
    a program: _start calls __libc_start_main, which calls a function without a name, which calls
    main()."""
    end = note["expected"]
    if end["status"] != want.status or (want.reason and end.get("reason") != want.reason):
        return f"the walk has the status {end['status']} and the reason {end.get('reason')}"
    names = [frame.get("name") for frame in end["frames"][-4:]]
    outermost = [MAIN[note.get("runtime", "").split(" ")[0]], None, "__libc_start_main", "_start"]
    if want.status == "complete" and names != outermost:
        return f"the outermost frames of the walk are {names}"
    return None


def why_not_names(want, frames, known):
    if want.leaf and frames[0].get("name") != want.leaf:
        return f"frame 0 has the name {frames[0].get('name')}"
    if want.kind and frames[0]["kind"] != want.kind:
        return f"frame 0 has the kind {frames[0]['kind']}"
    if want.tier and known[0].get("tier") != want.tier:
        return f"the innermost function has the tier {known[0].get('tier')}"
    if want.match != "^down$" and len(frames) > 60:
        return f"the walk has {len(frames)} frames; at most 60 are accepted"
    if want.match and not any(re.search(want.match, f.get("name", "")) for f in frames):
        return f"no frame has a name that matches {want.match}"
    return None


@functools.lru_cache(maxsize=1)
def content(case):
    return subprocess.run(["zstd", "-dcq", case], capture_output=True, check=True).stdout


def word(case, addr):
    """Returns eight bytes of the memory in a case, or None if its program headers do not cover
    them."""
    data = content(case)
    start, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    for i in range(count):
        kind, _, off, vaddr, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == 1 and vaddr <= addr and addr + 8 <= vaddr + length:
            return struct.unpack_from("<Q", data, off + addr - vaddr)[0]
    return None


def keeps_records(note, pc):
    """Returns whether @pc is in code of V8 or of the C programs, which have frame records, and not
    in code of a library or of Node.js."""
    return any(int(m["start"], 16) <= pc < int(m["end"], 16) and
               (m["kind"] != "native" or os.path.basename(m.get("path", "")) in ("busy", "lost"))
               for m in note["mappings"])


def count_records(note, case):
    """Counts the chained frame records whose return addresses are in code with frame records."""
    count, fp = 0, int(note["registers"]["fp"], 16)
    while (ra := word(case, fp + 8)) is not None and keeps_records(note, ra - 1):
        count, fp = count + 1, word(case, fp)
    return count


def why_not_caller(want, note, case):
    """Checks that frame 1 is at the address to which frame 0 returns. In a recursion this address
    is the same at every depth. Therefore the frames before the first frame in other code are
    counted, too. There must be one such frame for each frame record, plus the interrupted frame
    unless the first record belongs to that frame."""
    if not want.ra:
        return None
    pcs = [int(f["pc"], 16) for f in note["walk"]["frames"]]
    if want.ra == "lr":
        caller = int(note["registers"]["lr"], 16)
    else:
        sp, _, off = want.ra.partition("+")
        caller = word(case, int(note["registers"][sp], 16) + int(off or 0))
    if pcs[1] != caller:
        return f"frame 1 is at {pcs[1]:#x}, not at {caller}"
    if note.get("runtime", "").startswith(".NET"):
        return None  # half of the methods have no frame record
    kept = [keeps_records(note, pcs[0]), *(keeps_records(note, pc - 1) for pc in pcs[1:])]
    count = count_records(note, case) + (1 if want.has_record else 2)
    if not kept[1] or kept.index(False) == count:
        return None
    return f"{kept.index(False)} frames precede the first library frame, not {count}"


class NestingJudge:
    """Expects the functions of a C program, innermost first; main's callers are in libc."""

    def __init__(self, *functions):
        self.functions = list(functions)

    def why_not(self, want, note):
        names = [f.get("name") for f in note["expected"]["frames"]]
        n = len(self.functions)
        if why := why_not_end(want, note):
            return why
        if want.status == "complete" and names[:n] != self.functions:
            return f"the functions from the leaf outwards are {names}"
        if want.status != "complete" and names[:n] != self.functions[:len(names)]:
            return f"the innermost functions of the walk are {names}"
        return None


def why_not(judge, want, case):
    """Returns None, or the reason why the judge refuses the case."""
    content.cache_clear()  # another case may have the same path
    done = subprocess.run([SIM, "show", case], capture_output=True, text=True, check=True)
    note = json.loads(done.stdout)
    return judge.why_not(want, note) or why_not_caller(want, note, case)


def take(check, cases, stage, fixtures):
    """Moves all cases of one program into the fixtures, replacing cases of the same names."""
    if not check.that(cases and None not in cases, "the judge accepted every case", quiet=True):
        return
    made = os.path.join(stage, "fixtures")
    os.makedirs(made)
    subprocess.run([SIM, "add", "-C", made, *cases], check=True, stdout=subprocess.DEVNULL)
    for folder in glob.glob(f"{made}/recorded/*/*/*"):
        old = os.path.join(fixtures, os.path.relpath(folder, made))
        subprocess.run(["rm", "-rf", old], check=True)
        os.makedirs(os.path.dirname(old), exist_ok=True)
        subprocess.run(["mv", folder, old], check=True)
    subprocess.run(["rm", "-rf", made, *cases], check=True)


def record_all(record_native, record_node):
    """Moves the cases of STAGE into FIXTURES (command line arguments); returns the exit status."""
    stage, fixtures = sys.argv[1:]
    check = Checks()
    record_native(check, stage, fixtures)
    for version in sorted(os.listdir(f"{stage}/node")):
        record_node(check, version, stage, fixtures)
    return check.end()
