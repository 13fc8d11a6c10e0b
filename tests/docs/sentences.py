#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws sentences of the tree at random, by a seed, for readers who have never seen the tree.

  sentences.py [--seed N] [--count 60]

Comments, messages (including help texts), names of tests and documents have equal shares. Prints
FILE:LINE: KIND: SENTENCE, each with the two lines of the file before and after it. The same tree
and seed give the same sentences.
"""

import argparse
import os
import random
import re
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
sys.path.insert(0, os.path.join(TOP, "tests/lint"))

# pylint: disable=wrong-import-position
import prose

ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"(@])|\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.|@\w+:|Return:)\s*)|(?<=:)\n")
CONTEXT = 2


def sentences(piece):
    """Yields (line, sentence) of a piece, without line breaks and with at least four words."""
    start = 0
    for end in [match.span() for match in ENDS.finditer(piece.text)] + [(len(piece.text),) * 2]:
        text = piece.text[start:end[0]]
        lead = len(text) - len(text.lstrip())
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= 4:
            yield piece.line + piece.text.count("\n", 0, start + lead), " ".join(text.split())
        start = end[1]


def read_tree():
    """Returns {kind: [(path, line, sentence)]} and {path: lines}."""
    found, lines = {}, {}
    listed = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, check=True, text=True)
    for path in listed.stdout.splitlines():
        try:
            with open(os.path.join(TOP, path), encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, IsADirectoryError):
            continue
        lines[path] = text.splitlines()
        for piece in prose.pieces(path, text):
            found.setdefault(piece.kind, []).extend(
                (path, line, sentence) for line, sentence in sentences(piece))
    return found, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="number that determines the "
                                                            "sentences to draw (1)")
    parser.add_argument("--count", type=int, default=60, help="how many (60)")
    options = parser.parse_args()
    found, lines = read_tree()
    draw = random.Random(options.seed)
    for kind in sorted(found):
        draw.shuffle(found[kind])
    drawn = [(kind, *found[kind][i]) for i in range(options.count) for kind in sorted(found)
             if i < len(found[kind])]
    for number, (kind, path, line, sentence) in enumerate(drawn[:options.count], 1):
        print(f"{number}. {path}:{line}: {kind}: {sentence}")
        first = max(line - 1 - CONTEXT, 0)
        for offset, context in enumerate(lines[path][first:line + CONTEXT], first + 1):
            print(f"   {'>' if offset == line else ' '} {context}")
        print()
    print(f"seed {options.seed} drew {min(options.count, len(drawn))} of "
          f"{sum(map(len, found.values()))} sentences")


if __name__ == "__main__":
    main()
