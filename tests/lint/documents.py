#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks rules for the documents: README, CONTRIBUTING, CHANGELOG and docs, except generated pages.

  documents.py              prints FILE:LINE: RULE: what is wrong; exit 1 if anything is wrong
  documents.py --self-test  proves that each rule catches its `bad` and lets its `good` pass
"""

import os
import posixpath
import re
import sys

import house
from house import grep, rule

house.RULES.clear()
GENERATED = ("docs/support-matrix.md", "docs/measurements/first-minute.md")
# tests/docs/examples.py tests blocks in each of these languages.
LANGUAGES = {"console", "c", "yaml", "json", "text"}


def is_document(f):
    if not f.path.endswith(".md") or f.path in (*GENERATED, "SECURITY.md"):
        return False
    return f.top in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs")


def without_code(f):
    """Returns the lines of a file, those of fenced blocks replaced by empty ones."""
    inside = False
    for line in f.lines:
        fence = re.match(r" *```", line)
        yield "" if inside or fence else line
        inside ^= bool(fence)


@rule("line-length", ("docs/a.md", "x" * 100 + "\n"), ("docs/a.md", "x" * 101 + "\n"))
def line_length(f):
    if is_document(f):
        yield from ((number, f"the line has {len(line)} columns; the limit is 100")
                    for number, line in enumerate(f.lines, 1) if len(line) > 100)


@rule("readme-length", ("README.md", "x\n" * 150), ("README.md", "x\n" * 151))
def readme_length(f):
    if f.path == "README.md" and len(f.lines) > 150:
        yield 151, f"the document has {len(f.lines)} lines; the limit is 150"


@rule("code-language", ("docs/a.md", "```console live\n$ x\n```\n"), ("docs/a.md", "```\n$ x\n```\n"))
@rule("code-language", ("docs/a.md", "```text\nx\n```\n"), ("docs/a.md", "```sh\nx\n```\n"))
def code_language(f):
    """Each block has a language that the test of examples supports."""
    inside = False
    for number, line in enumerate(f.lines if is_document(f) else [], 1):
        if fence := re.match(r" *```(\S*)", line):
            inside = not inside
            if inside and fence[1] not in LANGUAGES:
                yield number, (f"unknown language `{fence[1]}`; use one of "
                               f"{' '.join(sorted(LANGUAGES))}")


def anchors(text):
    """Yields GitHub's anchors for the headings of a page."""
    for heading in re.findall(r"(?m)^#+ (.*)", text):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@rule("link", ("docs/a.md", "[b](../README.md)\n", ["README.md"]), ("docs/a.md", "[b](b.md)\n", ["README.md"]))
@rule("link", ("docs/a.md", "# My Part\n[b](#my-part)\n"), ("docs/a.md", "# My Part\n[b](#no-part)\n"))
def link(f):
    """The target of each link exists."""
    if not f.path.endswith(".md"):
        return
    for number, line in enumerate(without_code(f), 1):
        for target, heading in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", line):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(f.path), target))
            if not target:
                path, text = f.path, f.text
            elif path in f.tracked:
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read() if path.endswith(".md") and os.path.exists(path) else ""
            else:
                text = None
            if text is None or heading and heading[1:] not in anchors(text):
                yield number, f"the link's target {target}{heading} does not exist"


@rule("indexed", ("docs/README.md", "[a](guides/a.md)\n", ["docs/guides/a.md"]),
      ("docs/README.md", "x\n", ["docs/guides/a.md"]))
def indexed(f):
    """The index has a link to every page."""
    if f.path != "docs/README.md":
        return
    for path in f.tracked:
        page = path.removeprefix("docs/")
        if path.startswith("docs/") and path.endswith(".md") and path != f.path and f"({page})" not in f.text:
            yield 1, f"the index lacks a link to {page}"


MONTHS = r"\b20\d\d-\d\d-\d\d\b|\b(January|February|March|April|June|July|August|September|October|" \
         r"November|December) 20\d\d\b"


@rule("date", ("docs/measurements/a.md", "On 2026-11-22\n"), ("docs/internals/a.md", "On 2026-11-22\n"))
def date(f):
    """Only measurements have dates."""
    if is_document(f) and not f.path.startswith("docs/measurements/"):
        yield from grep(without_code(f), MONTHS, "date `{}`; only docs/measurements may have dates")


@rule("repeatable", ("docs/measurements/a.md", "## A\n`ci/bench`\n| a |\n|---|\n| 1,234 |\n"),
      ("docs/measurements/a.md", "## A\n| a |\n|---|\n| 1,234 |\n## B\n`ci/bench`\n"))
def repeatable(f):
    """A section of measurements with a table of figures names a command of the tree."""
    if not f.path.startswith("docs/measurements/"):
        return
    number = 1
    for section in re.split(r"(?m)^(?=#)", f.text):
        figures = re.search(r"(?m)^\|.*\d", section)
        if figures and not re.search(r"`(ci|tests|build)/[\w./-]+|`meson test", section):
            yield number, "the table has figures; name the command that measures the figures"
        number += section.count("\n")


@rule("reasons", ("docs/reference/statuses.md", "".join(
    f"`{words}`\n" for words in re.findall(r'X\(UW_\w+, +\w+, +"([^"]+)"', open(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../core/uw_status.h"),
        encoding="utf-8").read()))), ("docs/reference/statuses.md", "`end`\n"))
def reasons(f):
    """docs/reference/statuses.md has each reason of core/uw_status.h."""
    if f.path != "docs/reference/statuses.md":
        return
    with open("core/uw_status.h", encoding="utf-8") as file:
        for words in re.findall(r'X\(UW_\w+, +\w+, +"([^"]+)"', file.read()):
            if f"`{words}`" not in f.text:
                yield 1, f"no `{words}`"


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sys.exit(bool(house.self_test() if sys.argv[1:] == ["--self-test"] else house.lint()))
