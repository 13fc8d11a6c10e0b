#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the house rules for the files that git tracks.

  house.py              prints FILE:LINE: RULE: what is wrong; exit 1 if anything is wrong
  house.py --self-test  proves that each rule catches its `bad` and lets its `good` pass

A rule is a small function that gets one file and yields (line, message). The examples in its
decorators prove that it can fail.
"""

import os
import posixpath
import re
import subprocess
import sys

RULES = []
CODE = (".c", ".h", ".S")


class File:
    """A file: the path from the top of the repository, the text, and the lines without C
    comments."""

    def __init__(self, path, text, tracked=()):
        self.path, self.text, self.tracked = path, text, tracked
        self.top = path.split("/")[0]
        self.is_code = path.endswith(CODE)
        self.lines = text.splitlines()

    def code_lines(self):
        def blank(match):
            return re.sub(r"[^\n]", " ", match.group())

        return re.sub(r"/\*.*?\*/|//[^\n]*", blank, self.text, flags=re.S).splitlines()


def rule(name, good, bad):
    """good, bad: (path, text), or (path, text, other tracked paths)."""

    def register(check):
        RULES.append((name, check, good, bad))
        return check

    return register


def grep(lines, pattern, words):
    for number, line in enumerate(lines, 1):
        if match := re.search(pattern, line):
            yield number, words.format(match.group().strip())


BOTH = "GPL-2.0-only OR BSD-2-Clause"


@rule("spdx", ("core/a.h", f"/* SPDX-License-Identifier: {BOTH} */\n"),
      ("core/a.h", "/* SPDX-License-Identifier: BSD-2-Clause */\n"))
@rule("spdx", ("tests/a.bpf.c", f"// SPDX-License-Identifier: {BOTH}\n"),
      ("tests/a.bpf.c", "// SPDX-License-Identifier: BSD-2-Clause\n"))
@rule("spdx", ("tests/fuzz/corpus.c", "// SPDX-License-Identifier: BSD-2-Clause\n"),
      ("tests/fuzz/corpus.c", "\n"))
@rule("spdx", ("ci/x", "#!/bin/sh\n# SPDX-License-Identifier: BSD-2-Clause\n"),
      ("ci/x", "#!/bin/sh\necho\n"))
def spdx(f):
    """The licence is in the first line, or in the second after a line with #!. Code for the kernel
    has both licences."""
    if f.top in ("LICENSES", "fixtures") and not f.is_code:
        return
    if f.path.endswith((".md", ".json", ".gitignore", ".txt")) or "/corpus/" in f.path:
        return
    want = "BSD-2-Clause"
    if f.path.endswith(".bpf.c") or f.top in ("core", "bpf") and f.is_code:
        want = BOTH
    head = f.lines[1:2] if f.text.startswith("#!") else f.lines[:1]
    if not head or not re.search(rf"SPDX-License-Identifier: {want}( \*/)?$", head[0]):
        yield 1, f"the file lacks `SPDX-License-Identifier: {want}`"


@rule("core-names", ("core/a.h", "/* like bpf_probe_read_user() */\n"),
      ("core/a.h", "long e = bpf_probe_read_user(d, 8, s);\n"))
@rule("core-names", ("sim/a.c", "uc_open();\n"), ("core/v8/a.h", "uc_engine *e;\n"))
def core_names(f):
    """The core depends neither on the kernel nor on an emulator."""
    if f.top == "core" and f.is_code:
        yield from grep(f.code_lines(), r"\b(bpf|uc)_\w+", "`{}` in core")


@rule("core-if", ("core/a.h", "/*\n#if x\n*/\n#define X\n"), ("core/a.h", "#ifdef __bpf__\n"))
def core_if(f):
    """The core is one source for all environments; the include path selects the variants."""
    if f.top == "core" and f.is_code:
        yield from grep(f.code_lines(), r"^\s*#\s*(if|ifdef|ifndef|elif|else)\b", "`{}` in core")


@rule("arch-macro", ("bpf/arch/arm64/a.h", "#ifdef __aarch64__\n"),
      ("loader/a.c", "#ifdef __x86_64__\n"))
def arch_macro(f):
    """Only code under an arch/ folder depends on the architecture."""
    if f.is_code and "arch" not in f.path.split("/")[:-1]:
        yield from grep(f.code_lines(), r"__(x86_64|aarch64|amd64|arm64)__", "`{}` outside arch/")


@rule("pragma-once", ("loader/a.h", "/* */\n#pragma once\n"), ("loader/a.h", "#ifndef A_H\n"))
def pragma_once(f):
    if f.path.endswith(".h") and "#pragma once" not in f.lines:
        yield 1, "the header lacks `#pragma once`"


@rule("typedef", ("loader/a.h", "typedef int (*fn)(void);\n"), ("loader/a.h", "typedef struct a {\n"))
def typedef(f):
    if f.is_code:
        yield from grep(f.code_lines(), r"\btypedef\s+(struct|union|enum)\b", "`{}`")


def most_lines(f, code, other):
    """The limit of lines for a file; code outside tests has a lower limit."""
    return code if f.is_code and f.top not in ("tests", "fixtures") else other


@rule("file-length", ("loader/a.c", "\n" * 400), ("loader/a.c", "\n" * 401))
@rule("file-length", ("tests/loader/a.c", "\n" * 600), ("tests/loader/a.c", "\n" * 601))
@rule("file-length", ("docs/results/a.json", "\n" * 601), ("docs/a.json", "\n" * 601))
def file_length(f):
    """Files are short, except for results of ci/qualify, which programs write."""
    most = most_lines(f, 400, 600)
    if f.path.startswith("docs/results/"):
        return
    if f.top not in ("LICENSES", "fixtures") and len(f.lines) > most:
        yield most + 1, f"the file has {len(f.lines)} lines; the limit is {most}"


@rule("function-length", ("loader/a.c", "int f(void)\n{\n" + "\tg();\n" * 58 + "}\n"),
      ("loader/a.c", "int f(void)\n{\n" + "\tg();\n" * 59 + "}\n"))
@rule("function-length", ("tests/a.c", "int f(void)\n{\n" + "\tg();\n" * 98 + "}\n"),
      ("tests/a.c", "int f(void)\n{\n" + "\tg();\n" * 99 + "}\n"))
def function_length(f):
    """Functions of C code are short. A function extends from a line `{` to the next line that
    begins with `}`."""
    start, most = None, most_lines(f, 60, 100)
    for number, line in enumerate(f.lines if f.is_code else [], 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            if number - start + 1 > most:
                yield start, f"the function has {number - start + 1} lines; the limit is {most}"
            start = None


@rule("machine-path", ("README.md", "the work/ folder, /rootfs, /home/$USER\n"),
      ("README.md", "see /" + "work/x\n"))
@rule("machine-path", ("ci/x", "cd ..\n"), ("ci/x", "ls /" + "root/x\n"))
@rule("machine-path", ("ci/x", "../sharedlib\n"), ("ci/x", "ls .." + "/shared/x\n"))
def machine_path(f):
    """No file contains the path of a folder that only one machine has."""
    yield from grep(f.lines, r"(?<![\w.$}*])/(work|root|home/\w+)/|\.\./shared\b", "path `{}`")


HOSTS = r"npmjs\.(com|org)|(deb|security|snapshot)\.debian\.org|nuget\.org|crates\.io|pypi\.org"


@rule("registry-host", ("ci/x", "npm install x\n"), ("ci/x", "curl https://registry.npmjs" + ".org/x\n"))
def registry_host(f):
    """Packages are fetched by name, from the registries for which the machine's clients are
    configured."""
    if f.path != "tests/lint/house.py":
        yield from grep(f.lines, HOSTS, "host `{}`")


# The folders that code of a folder may use; tests may use all. `wire` stands for core's structures
# that are shared with user space.
USES = {
    "core": {"core"},
    "bpf": {"bpf", "core"},
    "inspect": {"inspect", "wire"},
    "loader": {"loader", "bpf", "inspect", "wire"},
    "sim": {"sim", "core", "wire", "inspect", "bpf", "fixtures", "names"},
}
WIRE = r"core/((types|uw_frame|uw_note|uw_status|uw_mapping|flight|flight_ring|native/row)|.*_info)\.h$"
# The simulator may use these headers, because its cases have names of frames as the recorder writes
# them.
NAMES = r"loader/(runtime/runtimes?|profile/case_frame)\.h$"
CORE_SYSTEM = {"stddef.h", "stdbool.h", "arch.h", "dotnet_unwind.h", "port_impl.h", "flight_impl.h"}


def resolve(f, name):
    """Returns the tracked files that `#include "name"` can mean, none for a generated header."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(f.path), name))
    if beside in f.tracked:
        return [beside]
    return [path for path in f.tracked if path.endswith("/" + name)]


def may_use(top, path):
    used = path.split("/")[0]
    if used == "core" and re.match(WIRE, path):
        used = "wire" if top != "core" and top != "bpf" else "core"
    if top == "sim" and re.match(NAMES, path):
        used = "names"
    return used in USES[top]


@rule("layers", ("inspect/a.c", '#include "../core/types.h"\n', ["core/types.h"]),
      ("inspect/a.c", '#include "../core/port.h"\n', ["core/port.h"]))
@rule("layers", ("loader/a.c", '#include "elf/e.h"\n', ["inspect/elf/e.h"]),
      ("bpf/a.h", '#include "record.h"\n', ["loader/record.h"]))
@rule("layers",
      ("sim/a.c", '#include "../loader/runtime/runtime.h"\n', ["loader/runtime/runtime.h"]),
      ("sim/a.c", '#include "../loader/session/image.h"\n', ["loader/session/image.h"]))
@rule("layers", ("core/a.h", "#include <stddef.h>\n"), ("core/a.h", "#include <string.h>\n"))
def layers(f):
    if f.top not in USES or not f.is_code:
        return
    for number, line in enumerate(f.code_lines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
        if not match:
            continue
        if match[1] == "<":
            if f.top == "core" and match[2] not in CORE_SYSTEM:
                yield number, f"core includes <{match[2]}>"
            continue
        found = resolve(f, match[2])
        if found and not any(may_use(f.top, path) for path in found):
            yield number, f"{f.top} includes {found[0]}"


def tracked_files():
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout
    paths = [p for p in listing.decode().split("\0") if p and os.path.isfile(p)]
    for path in paths:
        with open(path, "rb") as handle:
            data = handle.read()
        if b"\0" not in data:
            yield File(path, data.decode("utf-8", "replace"), paths)


def lint():
    broken = checked = 0
    checks = {check: name for name, check, _, _ in RULES}
    for f in tracked_files():
        checked += 1
        for check, name in checks.items():
            for line, words in check(f):
                print(f"{f.path}:{line}: {name}: {words}")
                broken += 1
    print(f"{checked} files checked, {broken} violations found")
    return broken or not checked


def self_test():
    passed = failed = 0
    for name, check, good, bad in RULES:
        for example, must_catch in ((good, False), (bad, True)):
            if bool(list(check(File(*example)))) == must_catch:
                passed += 1
            else:
                failed += 1
                print(f"the rule {name} {'misses' if must_catch else 'wrongly catches'} "
                      f"{example[1]!r}")
    print(f"{passed} passed, {failed} failed")
    return failed or not passed


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sys.exit(bool(self_test() if sys.argv[1:] == ["--self-test"] else lint()))
