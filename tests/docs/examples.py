#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs every example of README, CONTRIBUTING and docs while a Node.js process is busy.

  examples.py BUILD [PAGE...]        the pages, all by default; exit 1 if an example is wrong
  examples.py BUILD --self-test      wrong examples, each of which must be found

These rules hold for fenced blocks of each language (pages.py describes the format of console):

  console   each command must succeed and print the output on the page. Words: `live` figures may be
            any; `fails` the last command must not succeed; `needs-NAME` left out if ci/probe
            reports NAME as missing; `ci` takes minutes: only its scripts, options and tests must
            exist
  c         must compile
  yaml      a fixture for `unspool-sim show`
  json      must be JSON
  text      is no example, and must not look like one

If `code` in prose is a command of unspool or unspool-sim, --help must list its options.
"""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))

# pylint: disable=wrong-import-position # beside and below
import pages
from lib import Checks, at_once, leave_out, need_bpf, node, running, version_of
from shell import Shell, make_folder

SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
PROGRAMS = {"unspool": os.environ.get("UNSPOOL", "unspool"), "unspool-sim": SIM}
IN_NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
COMPILE = ["gcc", "-fsyntax-only", "-std=gnu11", "-Wall", "-Werror", "-Wno-unused-function", "-x", "c", "-"] + [
    f"-I{pages.TOP}/{folder}" for folder in
    ("", "core", "core/arch/x86_64", "sim/port", "inspect/jitdump", "inspect/jitdump/include")]


def output_of(*command, **options):
    """Returns (exit status, output)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)
    return done.returncode, done.stdout


class Examples:
    """The checks of one page."""

    def __init__(self, build, binary, pid, check):
        self.build, self.binary, self.pid, self.check = build, binary, pid, check
        self.lacking, self.helps, self.left_to_ci = {}, {}, 0

    def lacks(self, words):
        """Returns the first capability that a block needs and the machine lacks."""
        for need in [word[6:] for word in words if word.startswith("needs-")]:
            if need not in self.lacking:
                _, said = output_of(os.path.join(pages.TOP, "ci/probe"), need)
                self.lacking[need] = not re.search(rf"^{re.escape(need)} +yes", said, re.M)
            if self.lacking[need]:
                return need
        return None

    def console(self, page, block, shell):
        steps = block.steps()
        for step in steps:
            status, printed = shell.run(step.command, self.pid)
            fails = "fails" in block.words and step is steps[-1]
            fits = status is not None and bool(status) == fails and pages.matches(step.output, printed, "live" in block.words)
            self.check.that(fits, f"{page}:{step.line}: {step.command}", quiet=True)
            if not fits:
                last = "\n".join(printed.splitlines()[-20:])
                print(f"  the exit status is {status}; the last lines of the output "
                      f"are:\n{last}", flush=True)

    def ci(self, page, block):
        """Checks that the scripts, options and tests of a `ci` block, which is not run, exist."""
        for step in block.steps():
            self.left_to_ci += 1
            words = shlex.split(step.command, comments=True)
            script = os.path.join(pages.TOP, next((w for w in words if "/" in w), ""))
            if words[:2] == ["meson", "test"]:
                named = [word for before, word in zip(words[1:], words[2:])
                         if before not in ("-C", "-t", "--suite") and word[0] != "-"]
                good = all(name in self.tests_of_build() for name in named)
            elif os.access(script, os.X_OK) and os.path.isfile(script):
                with open(script, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                good = "\0" in text or all(  # a program, or a script
                    word in text for word in words if re.fullmatch("--[a-z-]+", word))
            else:
                good = words[0] in ("cd", "git", "meson", "ninja", "make")
            self.check.that(good, f"{page}:{step.line}: {step.command}", quiet=True)

    def tests_of_build(self):
        _, said = output_of("meson", "introspect", "--tests", self.build)
        return {test["name"] for test in json.loads(said)}

    def inline(self, page, line, code):
        """Checks that --help of a subcommand lists each long option that a page has in prose."""
        words = code.split()
        nested = 3 if words[1:2] and words[1] in ("jitdump", "flight") else 2
        command = tuple(w for w in words[:nested] if re.fullmatch(r"[a-z][a-z-]*", w))
        if len(command) == 1:
            return  # --version, --help
        if command not in self.helps:
            self.helps[command] = output_of(PROGRAMS[command[0]], *command[1:], "--help")
        status, text = self.helps[command]
        unknown = [option for option in re.findall(r"(?<=\s)--[a-z][a-z-]+", code.split(" -- ")[0])
                   if option not in text]
        self.check.that(status == 0 and not unknown, f"{page}:{line}: `{code}` {unknown or ''}",
                        quiet=True)

    def checked(self, page, block):
        """Checks a block without commands."""
        text = "\n".join(block.lines) + "\n"
        said = ""
        if block.language == "c":
            status, said = output_of(*COMPILE, input=text)
        elif block.language == "yaml":
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(text)
                file.flush()
                status, said = output_of(SIM, "show", file.name)
        elif block.language == "json":
            try:
                status = 0 if json.loads(text) is not None else 1
            except ValueError as error:
                status, said = 1, str(error)
        else:
            status = block.language != "text" or bool(re.search(r"^(\$ |unspool|ci/)", text, re.M))
        if not self.check.that(status == 0, f"{page}:{block.line}: block `{block.language}`", quiet=True):
            print(said, flush=True)

    def page(self, page, text):
        with tempfile.TemporaryDirectory(prefix="unspool-docs-") as work:
            shell = Shell(work, make_folder(work, self.binary, self.build, PROGRAMS))
            try:
                self.blocks(page, text, shell)
            finally:
                shell.finish()
        for line, code in pages.inline(text):
            self.inline(page, line, code)

    def blocks(self, page, text, shell):
        for block in pages.blocks(text):
            if need := self.lacks(block.words):
                leave_out(f"{page}:{block.line}", need)
            elif block.language != "console":
                self.checked(page, block)
            elif "ci" in block.words:
                self.ci(page, block)
            else:
                self.console(page, block, shell)


def with_server(build, run):
    """Calls run(Examples) while a Node.js keeps a CPU busy with server.js."""
    binary = node(version_of("24"))
    with tempfile.TemporaryDirectory(prefix="unspool-docs-") as work:
        make_folder(work, binary, build, PROGRAMS)
        with running([binary, "server.js", "600"], cwd=work, stdout=subprocess.DEVNULL) as server:
            examples = Examples(build, binary, server.pid, Checks())
            run(examples)
    return examples


def run_pages(build, named):
    texts = {}
    for page in named or pages.paths():
        with open(os.path.join(pages.TOP, page), encoding="utf-8") as file:
            texts[page] = file.read()
    examples = with_server(build, lambda examples: at_once(
        4, [lambda page=page: examples.page(page, texts[page]) for page in texts]))
    print(f"{examples.left_to_ci} commands were not run because they take minutes; this test only"
          " checked that the scripts, options and tests in these commands exist")
    return examples.check.end()


WRONG = [
    "```console\n$ unspool --version\nunspool 99\n```",
    "```console\n$ unspool report --no-such-option\n```",
    "```console fails\n$ unspool --version\n```",
    "```console live\n$ unspool ps\n  PID CPU RUNTIME FRAMES NAME\n  1 1 % Node.js 1.2.3 native only server.js\n```",
    "```console live\n$ unspool record -p server.js -d 5\n...\n 1.0 % 1.0 % no_such_function ...\n...\n```",
    "```console ci\n$ ci/no-such-script\n```",
    "```console ci\n$ meson test -C build no_such_test\n```",
    "```console ci\n$ ci/test --no-such-option\n```",
    "```c\nint f(void) { return x; }\n```",
    "```yaml\nabout: nothing\nkey: 1\n```",
    "```json\n{\"a\": }\n```",
    "```text\n$ unspool ps\n```",
    "```sh\nunspool ps\n```",
    "Try `unspool record --no-such-option`.",
]


def self_test(build):
    """Checks that the test finds exactly one fault on each wrong page."""
    result = Checks()

    def run(examples):
        for text in WRONG:
            examples.check = Checks()
            with contextlib.redirect_stdout(io.StringIO()):
                examples.page("planted", text)
            result.that(examples.check.failed == 1, f"found: {text!r}")

    with_server(build, run)
    return result.end()


def main():
    build, *named = sys.argv[1:]
    # In a new PID namespace there is no other server.js.
    if "UNSPOOL_DOCS_INSIDE" not in os.environ:
        need_bpf()
        node(version_of("24"))
        os.environ["UNSPOOL_DOCS_INSIDE"] = "1"
        os.execvp("unshare", [*IN_NAMESPACE, sys.executable, *sys.argv])
    return self_test(build) if named == ["--self-test"] else run_pages(build, named)


if __name__ == "__main__":
    sys.exit(main())
