# SPDX-License-Identifier: BSD-2-Clause
"""Which tests see a file of the source: those whose programs are made of it, the ones first
that a change of it makes the least to compile for. Nothing needs to be built before: which
programs are made of an object ninja knows, and what a source includes stands in it."""

import collections
import json
import os
import re
import subprocess


class Near:
    """Of a tree that has been set up."""

    def __init__(self, build):
        self.build = build
        self.users = {}  # a source: the objects that are compiled from it
        includes = Includes(build.parent)
        for command in json.loads((build / "compile_commands.json").read_text()):
            for source in includes.all_of(self.path(command["file"])):
                self.users.setdefault(source, set()).add(command["output"])
        targets = json.loads(self.ask("meson", "introspect", "--targets", "."))
        files = {target["id"]: target["filename"] for target in targets}
        self.tests = {}  # a test: what it is made of, in all
        for test in json.loads(self.ask("meson", "introspect", "--tests", ".")):
            if "unspool:unit" in test["suite"]:
                made = {os.path.relpath(file, build)
                        for need in test["depends"] for file in files.get(need, [])}
                self.tests[test["name"]] = self.parts(made)
        n_with = collections.Counter(word for name in self.tests for word in words(name))
        self.rarity = {word: 1 / n for word, n in n_with.items()}

    def ask(self, *command):
        """What a command prints."""
        return subprocess.run(command, cwd=self.build, check=True, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL).stdout

    def path(self, file):
        """From the tree's top."""
        return os.path.normpath(os.path.join(self.build.name, file))

    def parts(self, made):
        """What files are made of, and what that is."""
        return set(self.ask("ninja", "-t", "inputs", *made).splitlines()) if made else set()

    def order(self, path, caught):
        """The tests that see the file: first those with words of its path in their name, rare
        ones above all, of these the ones that are oftener in @caught, then those soon built."""
        users = self.users.get(path, set())
        stale = {name: len(parts & users) for name, parts in self.tests.items()}
        common = {name: sum(self.rarity[word] for word in words(path) & words(name))
                  for name in stale}
        return sorted((name for name in stale if stale[name]),
                      key=lambda name: (-common[name], -caught.count(name), stale[name], name))


class Includes:
    """What sources include, by name: of two files with the name in angle brackets, both."""

    def __init__(self, top):
        self.top = top
        self.by_name = collections.defaultdict(set)
        for folder in "core", "bpf", "inspect", "loader", "sim", "tests":
            for file in (top / folder).rglob("*.h"):
                self.by_name[file.name].add(str(file.relative_to(top)))
        self.known = {}

    def direct(self, path):
        """Of one file."""
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
        """The file, and all that it includes, directly or not."""
        found, left = set(), {path}
        while left:
            found |= left
            left = set().union(*(self.direct(file) for file in left)) - found
        return found


def words(name):
    """Those of a path or a name, less an s at the end."""
    return {word.rstrip("s") for word in re.split(r"[^a-z0-9]+", name.lower())}
