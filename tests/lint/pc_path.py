#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the look-up of a pc calls through few files of inspect/v8, only from higher to lower
layers.

  pc_path.py              prints the files that a pc passes through, and the faults: more than MOST
                          files, or a function that passes the pc back up
  pc_path.py --self-test  proves that an extra file and a path back are found

A function receives the pc if a parameter of it is called pc or ra, or is a struct v8_query. The
path begins with v8_heap_name(), and continues from each such function to the others that it names.
A pc in WebAssembly has a separate path, which begins with v8_wasm_name(). A pc in the interpreter
has a separate path, too, in v8_interpreted.c. Decoders of tables, which get an offset, and the
cache, which gets a key, are not part of the path.
"""

import os
import posixpath
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import circles  # pylint: disable=wrong-import-position

MOST = 5
FOLDER = "inspect/v8"
FIRST = "v8_name"
APART = ("v8_wasm", "v8_interpreted")

DEFINED = re.compile(r"^(?:static )?[A-Za-z_][\w \t*]*?\b(\w+)\(([^;{}]*)\)\n\{(.*?)^\}", re.M | re.S)
HANDED = re.compile(r"\b(?:pc|ra)\s*(?:,|$)|\bstruct v8_query \*")


def functions(files):
    """Returns {name: (module, does it receive the pc, words of its body)}. The name of a static
    function begins with the module."""
    found = {}
    for path, text in files.items():
        module = posixpath.basename(circles.module_of(path))
        if not path.endswith(".c") or module.startswith(APART):
            continue
        for match in DEFINED.finditer(circles.blank(text)):
            is_static = match.group().startswith("static")
            words = set(re.findall(r"\w+", match[3]))
            name = f"{module}:{match[1]}" if is_static else match[1]
            found[name] = (module, bool(HANDED.search(match[2])), words)
    return found


def way(files):
    """Returns {module: modules to which it passes the pc} for all modules reached from FIRST."""
    known = functions(files)
    uses, todo, seen = {FIRST: set()}, [n for n in known if known[n][0] == FIRST], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        module, _, words = known[name]
        # A module with a table of functions passes the pc to the functions in the table.
        for word in words | tables(files, module):
            for callee in (f"{module}:{word}", word):
                if callee in known and known[callee][1]:
                    uses.setdefault(module, set())
                    uses.setdefault(known[callee][0], set())
                    if known[callee][0] != module:
                        uses[module].add(known[callee][0])
                    todo.append(callee)
    return uses


def tables(files, module):
    """Returns the words in the initialisers of tables that @module defines."""
    words = set()
    for path, text in files.items():
        if posixpath.basename(circles.module_of(path)) == module and path.endswith(".c"):
            for match in re.finditer(r"^\w[^\n;()]*\[\] = \{.*?^\};|^\} \w+\[\] = \{.*?^\};",
                                     circles.blank(text), re.M | re.S):
                words |= set(re.findall(r"\w+", match.group()))
    return words


def faults(uses):
    if len(uses) > MOST:
        yield f"a pc passes through {len(uses)} files; the limit is {MOST}"
    for circle in circles.circles(uses):
        yield f"modules pass a pc in a circle: {' '.join(circle)}"


def lint():
    uses = way(circles.tracked([FOLDER]))
    for module, used in sorted(uses.items()):
        print(module, "->", *sorted(used))
    bad = list(faults(uses))
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"a pc passes through {len(uses)} files; {len(bad)} faults found")
    return len(bad) or len(uses) < 2


def self_test():
    def file(name, calls):
        return f"int {name}(u64 pc)\n{{\n\treturn {calls};\n}}\n"

    line = {f"x/v8_{n}.c": file(n, f"{m}(pc)") for n, m in
            (("name", "b"), ("b", "c"), ("c", "d"), ("d", "e"))}
    line["x/v8_e.c"] = file("e", "0")
    longer = dict(line, **{"x/v8_e.c": file("e", "f(pc)"), "x/v8_f.c": file("f", "0")})
    back = dict(line, **{"x/v8_e.c": file("e", "c(pc)")})
    table = dict(back, **{"x/v8_e.c": "static const struct r all[] = {\n\t{ c },\n};\n" +
                          file("e", "all[0](pc)")})
    other = dict(line, **{"x/v8_e.c": file("e", "f(1)"), "x/v8_f.c": "int f(u32 off)\n{\n}\n"})
    failed = [name for name, files, n in (("a short path of a pc is accepted", line, 0),
                                          ("a path of a pc through an extra file is "
                                           "refused", longer, 1),
                                          ("a path of a pc back up to a caller is "
                                           "refused", back, 1),
                                          ("a path of a pc back up through a table is "
                                           "refused", table, 1),
                                          ("a function without the pc is not on the "
                                           "path", other, 0))
              if len(list(faults(way(files)))) != n]
    print(f"{5 - len(failed)} passed, {len(failed)} failed", *failed)
    return len(failed)


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sys.exit(bool(self_test() if sys.argv[1:] == ["--self-test"] else lint()))
