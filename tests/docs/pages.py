# SPDX-License-Identifier: BSD-2-Clause
r"""Reads the examples of a page: its fenced blocks, and the expected output of commands.

    ```console live        the words after the language are the block's
    $ unspool ps           a command; it continues while a line ends with \ or |,
                           and to the END of a <<'END'
        PID     CPU ...    its output; a command without output may print anything
    ...                    any lines; inside a line, any text
    ```

A blank matches any number of blanks. In a block with the word `live` a number matches any number.
"""

import dataclasses
import glob
import os
import re

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
FIGURE = r"\d[\d,.]*"
FIGURES = re.compile(r"0x[0-9a-f]+|\d{8}T\d{6}Z|" + FIGURE)


@dataclasses.dataclass
class Step:
    line: int
    command: str
    output: list


@dataclasses.dataclass
class Block:
    line: int
    language: str
    words: list
    lines: list

    def steps(self):
        """Returns the commands of a console block, each with the output that the page has for
        it."""
        steps, goes_on, until = [], False, None
        for number, line in enumerate(self.lines, self.line + 1):
            if goes_on or until:
                steps[-1].command += "\n" + line
                until = None if line == until else until
            elif line.startswith("$ "):
                steps.append(Step(number, line[2:], []))
            elif steps:
                steps[-1].output.append(line)
            else:
                raise ValueError(f"line {number}: there is output before the first command")
            if here := line.startswith("$ ") and re.search(r"<<'(\w+)'$", line):
                until = here[1]
            goes_on = (goes_on or line.startswith("$ ")) and line.endswith(("\\", "|"))
        return steps


def paths():
    """Returns the paths of README, CONTRIBUTING, SECURITY and all pages of docs that are not
    generated."""
    found = glob.glob("*.md", root_dir=TOP) + glob.glob("docs/**/*.md", root_dir=TOP, recursive=True)
    return sorted(set(found) - {"CHANGELOG.md", "docs/support-matrix.md"})


def blocks(text):
    """Yields the fenced blocks of a page; blocks in lists without the list's indentation."""
    found, indent = [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"( *)```(.*)", line)
        if fence and indent is None:
            indent, words = len(fence[1]), fence[2].split()
            found.append(Block(number, words[0] if words else "", words[1:], []))
        elif fence:
            indent = None
        elif indent is not None:
            found[-1].lines.append(line[indent:])
    return found


def inline(text):
    """Yields (line, code) of each `code` in prose that is a command of unspool or unspool-sim."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text)
    for code in re.finditer(r"`(unspool(?:-sim)? [^`]+)`", prose):
        yield prose.count("\n", 0, code.start()) + 1, " ".join(code[1].split())


def _line_pattern(line, live):
    parts = []
    for part in re.split(r"(\.\.\.)", " ".join(line.split())):
        if part == "...":
            parts.append(".*")
            continue
        words = []
        for word in part.split(" "):
            figures = FIGURES.split(word) if live else [word]
            words.append(r"(?:0x[0-9a-f]+|\d{8}T\d{6}Z|\d[\d,.]*)".join(map(re.escape, figures)))
        parts.append(" +".join(words))
    return " *" + "".join(parts) + " *"


def matches(output, printed, live):
    """Returns whether the text @printed matches @output, the lines on a page."""
    if not output:
        return True
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else _line_pattern(line, live) + "\n"
                      for line in output)
    return bool(re.fullmatch(pattern, printed if printed.endswith("\n") else printed + "\n"))
