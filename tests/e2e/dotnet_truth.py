# SPDX-License-Identifier: BSD-2-Clause
"""Reads the stacks that .NET itself reports for its threads (fixtures/dotnet/nesting.truth.cs).

Each stack is a chain of (name, line), outermost first, with names as in a profile. The names lack
parameters and type arguments, which the runtime does not report for shared code. Line 0 stands for
an unknown line.
"""

import json
import os
import re

KEYWORDS = re.compile(r"<(?!lambda_)[^<>]*>")


def plain(name):
    """Returns the plain name, for example "Nest.Generic.Box.Put" for "Nest.Generic.Box<int>.Put(T,
    long)". All lambdas get one name."""
    name = re.sub(r"<lambda_\w+>", "lambda", name or "").split("(")[0]
    while KEYWORDS.search(name):
        name = KEYWORDS.sub("", name)
    return name


def reported(kind, method):
    """Returns the plain name, made from the runtime's names of a method and of its type."""
    kind = re.sub(r"`\d+", "", kind).replace("+", ".")
    machine = re.fullmatch(r"(.*)\.<(\w+)>d__\d+", kind)
    if machine:  # an iterator or an async method
        return f"{machine[1]}.{machine[2]}" + ("" if method == "MoveNext" else f".{method}")
    made = re.match(r"<(\w+)>b__", method)
    if made:
        return re.sub(r"\.<>c\w*$", "", kind) + f".{made[1]}.lambda"
    return f"{kind}.{method}" if kind else method


class Recorder:
    """Reads the lines that a program writes to the file UNSPOOL_TRUTH, from a given offset on."""

    def __init__(self, path):
        self.path, self.from_, self.to = path, 0, None

    def start(self):
        self.from_ = os.path.getsize(self.path)

    def stop(self):
        self.to = os.path.getsize(self.path)

    def chains(self):
        """Returns {name of a thread: set of chains}. The name is a letter followed by the case that
        the thread runs."""
        found = {}
        with open(self.path, "rb") as file:
            file.seek(self.from_)
            text = file.read() if self.to is None else file.read(self.to - self.from_)
        for line in text.decode().split("\n")[:-1]:
            try:
                *frames, thread = json.loads(line)
            except ValueError:  # the first line may be incomplete
                continue
            chain = tuple((reported(kind, method), number)
                          for kind, method, number, native in reversed(frames) if not native)
            found.setdefault(thread, set()).add(chain)
        return found
