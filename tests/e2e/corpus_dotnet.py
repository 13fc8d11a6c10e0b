# SPDX-License-Identifier: BSD-2-Clause
"""The .NET part of the corpus: the cases recorded from fixtures/dotnet/nesting.cs, and their judge.

A case is accepted if the program's frames in it are exactly the chain in the source
(dotnet_grammar.py), each managed frame has a name, and the stack ends where the C library starts
threads.
"""

import os
import re

from corpus import Want, why_not_names
from dotnet_grammar import EXTRA, case_of, own

MODES = {  # the environment of the program
    "optimized": {"DOTNET_TieredCompilation": "0"},
    "tiered": {},
    "unoptimized": {"DOTNET_TC_CallCounting": "0"},  # except loops (on-stack replacement)
}
TINY = "Loop()>TinyA(long)>TinyB(long)"
ONE = "Loop()>CallA(long)>CallB(long)"
DOTNET = {  # class: its cases
    "Frameless": (
        Want("frameless-leaf", "optimized", leaf="Nest.Frameless.Tiny(long)", chain=TINY + ">Tiny(long)"),
        Want("frameless-entry", "optimized", at=("Nest.Frameless::TinyB", b"", 0), ra="sp", chain=TINY),
    ),
    "OneCall": (
        Want("prologue", "optimized", at=("Nest.OneCall::Work", b"\x55", 1), ra="sp+8",
             chain=ONE + ">Work(long)"),
        Want("epilogue", "optimized", at=("Nest.OneCall::Work", b"\x5d\xc3", 1), ra="sp",
             chain=ONE + ">Work(long)"),
        Want("unoptimized-entry", "unoptimized", at=("Nest.OneCall::Work", b"", 0), ra="sp",
             chain=ONE + ">Work(long)"),
    ),
    "Generic": (
        Want("shared-generic", "optimized", match=r"Box<__Canon>",
             chain="Loop()>Box<__Canon>.Put(T, long)>Work<__Canon>(long)"),
    ),
    "Virtual": (
        Want("stub", "optimized", match="^VSD", kind="stub", chain="Loop()>Call<__Canon>(T[], long)"),
        Want("behind-a-stub", "optimized", at=("Nest.Virtual+B::Area", b"", 0), ra="sp",
             chain="Loop()>Call<__Canon>(T[], long)>B.Area(long)"),
    ),
    "Osr": (
        Want("on-stack-replacement", "tiered", match="OsrLoop", tier="OSR",
             chain="Loop()>OsrA(long)>OsrB(long)>OsrLoop(long)"),
    ),
    "Finally": (
        # Optimized methods contain a copy of their finally block; unoptimized ones call it as a
        # function.
        Want("funclet", "unoptimized", match=r"FinA\(long\)",
             chain="Loop()>FinA(long)>FinA(long)>FinB(long)>Work(long)"),
    ),
    "Callback": (
        Want("called-back", "optimized", match="Compare",
             chain="Loop()>Sort(long[])>Compare(long*, long*)>Work(long, long)"),
    ),
    "Reflected": (
        Want("precompiled", "optimized", match="MethodBaseInvoker", tier="R2R",
             chain="Loop()>InvokeStub_Reflected.Work>Work(long)"),
    ),
    "Dynamic": (
        Want("dynamic-method", "optimized", match="^Made$", chain="Loop()>Made>Work(long)"),
    ),
    "Big": (
        Want("large-method", "unoptimized", match=r"^Large\.", chain="Loop()>Large.Run(long)"),
    ),
}
LIBC = "libc.so.6"


def wanted(name):
    return next((w for cases in DOTNET.values() for w in cases if w.name == name), None)


class DotnetJudge:
    """Checks that frames are those of a class of fixtures/dotnet/nesting.cs."""

    def why_not(self, want, note):
        """Returns None, or the reason why a case's note does not meet @want."""
        frames = note["expected"]["frames"]
        if note["expected"]["status"] != want.status:
            return (f"the walk has the status {note['expected']['status']} and the reason "
                    f"{note['expected'].get('reason')}")
        if [os.path.basename(f.get("module", "")) for f in frames[-2:]] != [LIBC, LIBC]:
            return f"the two outermost frames are {frames[-2:]}, not two frames of libc"
        case = case_of(frames)
        chain = ">".join(name for name, _ in own(case, frames)) if case else ""
        if chain != want.chain:
            return f"the nesting is {chain}, not {want.chain}"
        if any(f["kind"] == "dotnet" and "name" not in f for f in frames):
            return "a managed frame has no name"
        known = [f for f in frames if f.get("tier") == want.tier or not want.tier]
        return why_not_names(want, frames, known or frames)


def is_known(frame):
    return bool(re.match(r"Nest\.", frame.get("name", ""))) or frame.get("name") in EXTRA.values()
