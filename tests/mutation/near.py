# SPDX-License-Identifier: BSD-2-Clause
"""Finds the tests whose programs depend on a source file, ordered by the compile time after a
change of the file. Works without a build: ninja knows the objects of each program, and the includes
are read from the sources."""

import collections
import json
import os
import re
import subprocess


class Near:
    """The tests of a configured build tree."""

    def __init__(self, build):
        self.build = build
        self.users = {}  # source -> objects compiled from it
        includes = Includes(build.parent)
        for command in json.loads((build / "compile_commands.json").read_text()):
            for source in includes.all_of(self.path(command["file"])):
                self.users.setdefault(source, set()).add(command["output"])
        targets = json.loads(self.ask("meson", "introspect", "--targets", "."))
        files = {target["id"]: target["filename"] for target in targets}
        self.tests = {}  # test -> all files that it depends on
        for test in json.loads(self.ask("meson", "introspect", "--tests", ".")):
            if "unspool:unit" in test["suite"]:
                made = {os.path.relpath(file, build)
                        for need in test["depends"] for file in files.get(need, [])}
                self.tests[test["name"]] = self.parts(made)
        n_with = collections.Counter(word for name in self.tests for word in words(name))
        self.rarity = {word: 1 / n for word, n in n_with.items()}

    def ask(self, *command):
        """Returns the output of a command."""
        return subprocess.run(command, cwd=self.build, check=True, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL).stdout

    def path(self, file):
        """Returns a path relative to the top of the tree."""
        return os.path.normpath(os.path.join(self.build.name, file))

    def parts(self, made):
        """The transitive inputs of files."""
        return set(self.ask("ninja", "-t", "inputs", *made).splitlines()) if made else set()

    def order(self, path, caught):
        """The tests of the file. Tests with words of the file's path in their names come first,
        especially with rare words; then tests that occur more often in @caught, then tests that
        build faster."""
        users = self.users.get(path, set())
        stale = {name: len(parts & users) for name, parts in self.tests.items()}
        common = {name: sum(self.rarity[word] for word in words(path) & words(name))
                  for name in stale}
        return sorted((name for name in stale if stale[name]),
                      key=lambda name: (-common[name], -caught.count(name), stale[name], name))


class Includes:
    """The includes of sources, by name; an ambiguous name in angle brackets means all its files."""

    def __init__(self, top):
        self.top = top
        self.by_name = collections.defaultdict(set)
        for folder in "core", "bpf", "inspect", "loader", "sim", "tests":
            for file in (top / folder).rglob("*.h"):
                self.by_name[file.name].add(str(file.relative_to(top)))
        self.known = {}

    def direct(self, path):
        """The direct includes of one file."""
        if path not in self.known:
            file = self.top / path
            text = file.read_text(errors="replace") if file.is_file() else ""
            folder = os.path.dirname(path)
            self.known[path] = {os.path.normpath(os.path.join(folder, name)) for name in
                                re.findall(r'^#include "([^"]+)"', text, re.M)}
            for name in re.findall(r"^#include <([^>/]+)>", text, re.M):
                self.known[path] |= self.by_name[name]
        return self.known[path]

    def all_of(self, path):
        """The file and all its direct and indirect includes."""
        found, left = set(), {path}
        while left:
            found |= left
            left = set().union(*(self.direct(file) for file in left)) - found
        return found


def words(name):
    """The words of a path or a name, without a trailing s."""
    return {word.rstrip("s") for word in re.split(r"[^a-z0-9]+", name.lower())}
