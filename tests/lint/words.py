#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the words of comments, messages, names of tests and documents.

  words.py              prints FILE:LINE: RULE: what is wrong; exit 1 if anything is wrong
  words.py --self-test  proves that each rule catches its `bad` and lets its `good` pass

A newcomer must understand each sentence at first reading. The rules find the most frequent forms
that are hard to read.
"""

import os
import re
import sys

import house
import prose
from house import rule

house.RULES.clear()
LATER = ()
# Files with bad examples, former words of reasons, or names of commands.
QUOTES = ("tests/lint/words.py", "tests/lint/programs.py", "inspect/util/reasons.c",
          "tests/profile/test_reasons.c")
CODE = r"`[^`]*`|\{[^{}\n]*\}|@\w+|->\w+"  # also of an f-string and of a parameter


def find(f, pattern, words, kinds=("comment", "message", "test", "document")):
    """Yields (line, message) for each match of @pattern in the file's prose of these kinds, except
    in code."""
    if f.path.startswith(LATER) or f.path in QUOTES:
        return
    for piece in prose.pieces(f.path, f.text):
        text = re.sub(CODE, lambda code: re.sub(r"[^\n]", "_", code[0]), piece.text)
        for match in re.finditer(pattern, text) if piece.kind in kinds else ():
            yield piece.line + piece.text.count("\n", 0, match.start()), words.format(
                " ".join(match.group().split()))


@rule("begins-with-what", ("x/a.c", "/* Offsets of the fields of a JSFunction. */\n"),
      ("x/a.c", "/* What a JSFunction has at which offset. */\n"))
@rule("begins-with-what", ("x/a.py", "# Rows of a page, where it has any.\n"),
      ("x/a.py", "# Where a page has rows, they come first.\n"))
@rule("begins-with-what", ("x/a.c", "static void rows_are_sorted(void **state)\n"),
      ("x/a.c", "static void what_has_rows_is_sorted(void **state)\n"))
@rule("begins-with-what", ("x/a.sh", "# The parts that failed.\n"), ("x/a.sh", "# What failed.\n"))
def begins_with_what(f):
    """A comment names its subject instead of describing it indirectly."""
    yield from find(f, r"\A([Ww]hat(ever)?\b(?![^.]*\?)|Where [^.\n]*,|Who\b)",
                    "the comment begins with `{}`; name the thing instead", ("comment", "test"))


@rule("told", ("x/a.c", "/* The table distinguishes stubs from methods. */\n"),
      ("x/a.c", "/* The table tells stubs from methods. */\n"))
@rule("told", ("x/a.md", "The option `--tell` reports it.\n"), ("x/a.md", "The line is\ntold.\n"))
@rule("told", ("x/a.py", "f'{n} in {len(told)} of @tell'\n"), ("x/a.py", "print('it is told in {n}')\n"))
@rule("told", ("x/a.c", 'die("no line is known for %s");\n'), ("x/a.c", 'die("%s tells no line");\n'))
def told(f):
    """Code does not tell; it reports, prints, records, knows or distinguishes."""
    yield from find(f, r"(?i)\b(tells?|told|telling|foretells?)\b",
                    "`{}`; use report, print, record, know or distinguish")


PEOPLE = ("people", "users", "user", "anyone", "those", "readers", "reader", "authors", "attacker")


@rule("who", ("x/a.c", "/* The function that allocates resumes here. */\n"),
      ("x/a.c", "/* Who allocates goes on here. */\n"))
@rule("who", ("x/a.md", "For users who run it as root.\n"), ("x/a.md", "The frame who waits.\n"))
@rule("who", ("x/a.c", "static void awaiter_is_unreadable(void **state)\n"),
      ("x/a.c", "static void one_who_waits_is_unreadable(void **state)\n"))
def who(f):
    """Code is not a person."""
    after = "".join(rf"(?<!\b{person}\s)" for person in PEOPLE)
    yield from find(f, rf"(?i){after}\bwho(m|ever)?\b(?! wants?\b)", "`{}`; code is not a person")


METAPHORS = r"(?<!Numerical\s)recipes?|fore(see|sees|seen|saw)|thrown out|by and by|" \
            r"at a guess|mends?|mended|such a one|as it were|go(es)? on|went on|going on|giv(e|es|en|ing) up|gave up|announcers?|" \
            r"of (that|this) one|nobody|no more (hold|is|has)\w*"


@rule("metaphor", ("x/a.c", "/* The cached rule; the walk continues. */\n"),
      ("x/a.c", "/* The recipe. */\n"))
@rule("metaphor", ("x/a.py", "# The code was discarded.\n"),
      ("x/a.py", "# The code was thrown\n# out.\n"))
@rule("metaphor", ("x/meson.build", "test('a walk continues', x)\n"),
      ("x/meson.build", "test('a walk goes on', x)\n"))
def metaphor(f):
    """The field's words."""
    yield from find(f, rf"(?i)\b({METAPHORS.replace(' ', chr(92) + 's+')})\b",
                    "`{}`; use the field's word (docs/reference/glossary.md)")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sys.exit(bool(house.self_test() if sys.argv[1:] == ["--self-test"] else house.lint()))
