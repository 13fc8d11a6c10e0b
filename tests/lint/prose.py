# SPDX-License-Identifier: BSD-2-Clause
"""Finds the prose of a source file: comments, messages and test names, or the paragraphs of a
document.

pieces(path, text) yields Piece(line, kind, text). Kinds: comment, message, test, document. A block
of comment lines is one piece, without comment markers. In the name of a test, blanks replace
underscores. The code for each language knows just enough to distinguish comments from strings.
"""

import collections
import io
import re
import tokenize

Piece = collections.namedtuple("Piece", "line kind text")

C_LIKE = (".c", ".h", ".S", ".cc", ".cs", ".js", ".mjs")
HASH = (".sh", ".build", ".yaml", ".yml", ".awk", ".jq", ".init")
GENERATED = ("LICENSES/", "tests/fuzz/corpus/", "fixtures/recorded/", "docs/results/")
C_TOKEN = re.compile(
    r'(?s)(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)|'
    r'(?P<string>"(?:\\.|[^"\\\n])*"(?:(?:\s|PRI\w+|\\\n)*"(?:\\.|[^"\\\n])*")*)|'
    r"'(?:\\.|[^'\\\n])+'|`(?:\\.|[^`\\])*`")
C_TEST = re.compile(r"(?m)^static void (\w+_\w+_\w+)\(void \*\*")
MARKER = re.compile(r"(?m)^[ \t]*(?:/\*+|\*+/|\*(?!/)|//+|#+!?)[ \t]?|[ \t]*\*/$")


def _is_message(text):
    """Returns whether the text has at least three words, two of them plain words, and so is not
    code or a format."""
    return len(text.split()) >= 3 and len(re.findall(r"(?<!\S)[A-Za-z]?[a-z]+[,.:;]?(?!\S)", text)) >= 2


def _line(text, offset):
    return text.count("\n", 0, offset) + 1


def _comment(line, text):
    """Returns the comment without markers and licence, and the line of its first word."""
    words = re.sub(r"SPDX-License.*", "", MARKER.sub("", text)).rstrip()
    lead = len(words) - len(words.lstrip())
    return Piece(line + words.count("\n", 0, lead), "comment", words[lead:])


def _c(text):
    for match in C_TOKEN.finditer(text):
        line = _line(text, match.start())
        if match["comment"]:
            yield _comment(line, match["comment"])
        elif match["string"]:
            words = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', match["string"])).replace("\\n", "\n")
            if _is_message(words):
                yield Piece(line, "message", words)
    for match in C_TEST.finditer(text):
        yield Piece(_line(text, match.start()), "test", match[1].replace("_", " "))


def _python(text):
    block, last, fresh = [], 0, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            whole_line = not token.line[:token.start[1]].strip()
            if block and not (whole_line and token.start[0] == last + 1):
                yield Piece(block[0], "comment", block[1])
                block = []
            words = token.string.lstrip("#!").strip()
            if not words.startswith(("SPDX", "/usr", "pylint")):
                block = [block[0], block[1] + "\n" + words] if block else [token.start[0], words]
                last = token.start[0]
        elif token.type == tokenize.STRING:
            words = re.sub(r"^\w*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", token.string)
            if fresh or token.string.endswith('"""'):
                yield Piece(token.start[0], "comment", words)
            elif _is_message(words):
                yield Piece(token.start[0], "message", words)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    if block:
        yield Piece(block[0], "comment", block[1])


def _hash(text):
    for match in re.finditer(r"(?m)^[ \t]*#(?!!).*(?:\n[ \t]*#.*)*|(?<=\s)# .*", text):
        yield _comment(_line(text, match.start()), re.sub(r"^# ", "", match[0]))
    for match in re.finditer(r"(?m)^\s*test\(\s*'([^']+)'", text):
        if " " in match[1]:
            yield Piece(_line(text, match.start()), "test", match[1])
    for match in re.finditer(r"(?m)\b(?:echo|die|fail|printf|need)\s+(?:-\w+ )?(\"[^\"]+\"|'[^']+')", text):
        if _is_message(match[1]):
            yield Piece(_line(text, match.start()), "message", match[1][1:-1])
    for match in re.finditer(r"(?m)^about: +(.*(?:\n +.*)*)", text):
        yield Piece(_line(text, match.start()), "comment", match[1])


def _markdown(text):
    def blank(match):
        return "\n" * match[0].count("\n")

    text = re.sub(r"(?ms)^ *```.*?^ *```", blank, text)
    for match in re.finditer(r"(?m)^(?:.*\S.*\n?)+", text):
        yield Piece(_line(text, match.start()), "document", match[0])


def pieces(path, text):
    """Yields each Piece of a file, unless programs write the file."""
    if path.startswith(GENERATED) or path == "docs/support-matrix.md":
        return
    if path.endswith(C_LIKE):
        found = _c(text)
    elif path.endswith(".py"):
        found = _python(text)
    elif path.endswith(".md"):
        found = _markdown(text)
    elif path.endswith(HASH) or path.startswith("fixtures/") and path.endswith(".yaml"):
        found = _hash(text)
    elif re.match(r"#!.*\bpython", text):
        found = _python(text)
    elif re.match(r"#!.*\b(ba)?sh\b", text):
        found = _hash(text)
    else:
        return
    yield from (piece for piece in found if piece.text.strip())
