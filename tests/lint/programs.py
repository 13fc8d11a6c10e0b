#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that ci/programs lists each program that the build, ci/ or a test runs, and the program's
package.

  programs.py              prints each mismatch; exit 1 if there is a mismatch
  programs.py --self-test  proves that each kind of fault is found

ci/deps installs the packages of that table. The table is compared with these:

  the sources   programs that they run and this machine has are in the table, unless every Debian
              has them: their package is Essential, of priority "required", or apt
  the table     a source runs each of its programs
  dpkg          each of its programs that this machine has is in the package of the table

Only installed programs are noticed, because ordinary words occur at the same positions. A word
counts as a program if this machine has a program of that name, and if the word is where a shell
command may begin (at the start of a line, after | && ; and the like), in a script or in a string of
Python or of a C test. In meson.build the arguments of find_program() count. Absolute paths of files
count if they are below a folder of PLACE.
"""

import ast
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")
TABLE = "ci/programs"
# Words that occur where a command may begin, but are not commands.
PROSE = set("as bc c++ column convert docker file firefox idle init java js lld look node nodejs pc poweroff "
            "postgres python ps size tc time top w webpack write kill X who".split())
COMMAND = re.compile(
    r"(?:^|[|&;({`!]|\$\(|\b(?:then|do|else|if|elif|while|until|exec|command|sudo|env|nice|xargs|as_root|timeout)\b)"
    r"""(?:[ \t]+(?:-[\w=-]+|\d+s?|[A-Z_]+=\S*|"\$\(\w+\)"))*[ \t]*(?=["']?(?P<word>[A-Za-z][\w.+-]*)(?![\w=(/.:,\[]))""",
    re.M)
PLACE = re.compile(r"(?<![\w.}$/*])/(?:usr/lib|usr/share|usr/s?bin|s?bin|lib|etc)/[\w./+-]*[\w+]")
OTHER_PLACES = {"/bin/node", "/usr/bin/node"}  # these are paths on other machines


def strings_of_python(text):
    tree = ast.parse(text)
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    return [n.value for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs]


def commands(path, text):
    """Returns the words of a file that may be names of programs."""
    if path.endswith("meson.build"):
        return re.findall(r"find_program\('([^'/]+)'", text)
    if path.endswith(".py") or text.startswith("#!/usr/bin/python3"):
        parts = strings_of_python(text)
    elif path.endswith(".c") and path.startswith("tests/"):
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
    elif re.match(r"#!/bin/(ba)?sh", text) or "shellcheck shell=" in text[:300]:
        parts = ["\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))]
    else:
        return []
    return [m["word"] for part in parts for m in COMMAND.finditer(part)]


def used(path, text):
    """Returns the programs and files that a source may need."""
    names = {word for word in commands(path, text) if word not in PROSE}
    if path.endswith((".py", "meson.build")) or text.startswith("#!"):
        names.update(m[0] for m in PLACE.finditer(re.sub(r"^#!.*", "", text)))
    return {re.sub(r"^(/usr)?/s?bin/", "", name) for name in names - OTHER_PLACES}


def dpkg(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if not line.startswith("diversion")]


class Machine:
    """The packages of the programs and files @names that this machine has."""

    def __init__(self, names):
        self.paths = {name: name if name.startswith("/") else shutil.which(name) for name in names}
        owners = {}
        for line in dpkg("dpkg", "-S", *{form for path in self.paths.values() for form in self.forms(path)}):
            packages, path = line.rsplit(": ", 1)
            owners[path] = [p.split(":")[0] for p in packages.split(", ")]
        self.owners = owners
        lines = dpkg("dpkg-query", "-W", "-f", "${Package} ${Essential} ${Priority}\n")
        self.everywhere = {"apt", "debian-archive-keyring"} | {
            line.split()[0] for line in lines if " yes" in line or " required" in line}

    def forms(self, path):
        """Returns the paths under which dpkg may have the file: with and without /usr, and the
        target of a link."""
        return (path, path.removeprefix("/usr"), os.path.realpath(path)) if path else ()

    def packages(self, name):
        """Returns the packages, or None if the machine lacks the file or no package has it."""
        return next((self.owners[form] for form in self.forms(self.paths[name]) if form in self.owners), None)

    def is_everywhere(self, package):
        return package in self.everywhere


def read_table(text):
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    return {line[0]: line[1:] for line in lines if line}


def is_in(table, name):
    return name in table or any(name.startswith(place + "/") for place in table)


def compare(table, sources, machine_of):
    """Yields each mismatch. @sources: [(path, text)]; @machine_of: returns the Machine for these
    names."""
    seen = {}
    for path, text in sources:
        for name in used(path, text):
            seen.setdefault(name, path)
    machine = machine_of({*seen, *table})
    for name, path in sorted(seen.items()):
        packages = None if is_in(table, name) else machine.packages(name)
        if packages and not any(machine.is_everywhere(p) for p in packages):
            yield f"{path}: {TABLE} lacks {name}, which is in the package {packages[0]}"
    for name, wanted in table.items():
        if name not in seen and not any(path.startswith(name + "/") for path in seen):
            yield f"{TABLE}: no source runs {name}; remove the line of {name}"
        packages = machine.packages(name)
        if packages and not set(packages) & set(wanted):
            yield f"{TABLE}: {name} is in the package {packages[0]}, not in {wanted[0]}"


class FakeMachine:
    """A Machine for the self-test, with four files."""

    FILES = {"pgrep": "procps", "sed": "sed", "nm": "binutils", "/usr/lib/debug": "libc6-dbg"}

    def __init__(self, _):
        pass

    def packages(self, name):
        return [self.FILES[name]] if name in self.FILES else None

    def is_everywhere(self, package):
        return package == "sed"


def self_test():
    """Checks the number of faults that compare() finds for each table and source."""
    shell, failed = "#!/bin/sh\n", 0
    cases = [
        (0, "nm binutils", "ci/a", shell + "nm a | sed 1d\n"),
        (1, "nm binutils", "ci/a", shell + "nm a | pgrep b\n"),
        (1, "nm binutils", "ci/a", shell + "nm $(pgrep b)\n"),
        (0, "nm binutils", "ci/a", shell + "nm a\n# pgrep b\n"),
        (0, "nm binutils # of gcc", "ci/a", shell + "nm a; echo pgrep; unheard-of\n"),
        (1, "nm binutils", "ci/a", shell + "echo nm\n"),
        (1, "nm gcc", "ci/a", shell + "nm a\n"),
        (0, "nm binutils\npgrep procps", "ci/a", shell + "if ! pgrep a; then exec nm b; fi\n"),
        (1, "nm binutils", "tests/a.py", "f(['nm', 'a'])\nf(['pgrep', 'a'])\n"),
        (1, "nm binutils", "tests/a.py", "f('nm a; pgrep a')\n"),
        (0, "nm binutils", "tests/a.py", "'''pgrep b'''\nf('nm')\n"),
        (1, "nm binutils", "tests/a.py", "f('nm', '/usr/lib/debug')\n"),
        (0, "nm binutils\n/usr/lib/debug libc6-dbg", "tests/a.py", "f('nm', 'mount /usr/lib/debug')\n"),
        (1, "nm binutils", "tests/a.c", 'popen("nm | pgrep x");\n'),
        (1, "nm binutils", "meson.build", "find_program('nm')\nfind_program('pgrep')\n"),
    ]
    for wanted, table, path, text in cases:
        found = list(compare(read_table(table), [(path, text)], FakeMachine))
        if len(found) != wanted:
            print(f"{text!r} has {wanted} faults, but these faults were found: {found}")
            failed += 1
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed


def tracked_sources():
    listing = subprocess.run(["git", "ls-files", "-z", ":!fixtures/node", ":!tests/lint/programs.py"],
                             capture_output=True, check=True).stdout
    for path in filter(os.path.isfile, listing.decode().split("\0")):
        with open(path, "rb") as file:
            data = file.read()
        if b"\0" not in data:
            yield path, data.decode("utf-8", "replace")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if not shutil.which("dpkg"):
        print("this test needs dpkg to find the package of a program")
        return 77
    os.chdir(TOP)
    with open(TABLE, encoding="utf-8") as file:
        table = read_table(file.read())
    found = list(compare(table, tracked_sources(), Machine))
    print(*found, f"{len(table)} programs and files checked, {len(found)} faults found", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
