#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `unspool top` in tmux, at 60 and 200 columns, and without a terminal."""

import contextlib
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time

from lib import (BUSY, UNSPOOL, Checks, Profile, at_once, folder, need_bpf, node, running,
                 unspool, version_of, wait_until)

# The name of the second function sets the title of a terminal that interprets it.
EVIL = "evil\x1b]0;EVIL\x07\u202ename"
SCRIPT = """function render(x) { for (let i = 0; i < 3e5; i++) x = (x * 31 + i) | 0; return x; }
const o = { %r(x) { for (let i = 0; i < 1e5; i++) x = (x * 17 + i) | 0; return x; } };
console.log("running");
for (;;) { render(1); o[%r](2); }
""" % (EVIL, EVIL)
SHOWN = r"evil\x1b]0;EVIL\x07\u202ename"
FOOT = re.compile(r"^complete +[0-9.]+ %  truncated +[0-9.]+ %  failed +[0-9.]+ %  lost \d+$", re.M)


class Tmux:
    """A terminal of tmux that runs one command."""

    def __init__(self, width, height, tmp, *command):
        self.own = tempfile.TemporaryDirectory(prefix="unspool-tmux-")
        self.socket = os.path.join(self.own.name, "socket")
        env = {k: v for k, v in os.environ.items() if k != "TMUX"}
        env.update(LC_ALL="C.UTF-8", TERM="screen")
        line = f"{shlex.join(map(str, command))}; echo exit $?; exec sleep 60"
        subprocess.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", "new-session", "-d",
                        "-x", str(width), "-y", str(height), "-c", tmp, line], env=env, check=True)

    def run(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *words], check=True,
                              capture_output=True, encoding="utf-8").stdout

    def text(self):
        return self.run("capture-pane", "-p")

    def press(self, *keys):
        self.run("send-keys", *keys)

    def until(self, pattern, seconds=15):
        """Waits until the screen matches, and returns its text."""
        with contextlib.suppress(TimeoutError):
            wait_until(lambda: re.search(pattern, self.text(), re.M), seconds)
        return self.text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("kill-server")
        self.own.cleanup()


def samples_of(text):
    found = re.search(r"  (\d+) samples  ", text)
    return int(found[1]) if found else 0


def share(text, name):
    """Returns the self share of the function @name in a table."""
    found = re.search(rf"^ *([0-9.]+) % *[0-9.]+ %  {re.escape(name)} ", text, re.M)
    return float(found[1]) if found else None


def fits(check, text, width, words):
    check.that(max(map(len, text.splitlines())) <= width, f"{words}: no line is too long")
    check.that(FOOT.search(text), f"{words}: the foot has the completeness of stacks")
    check.that(re.search(r"^(JS|native|GC|kernel) [0-9.]+ %", text, re.M),
               f"{words}: the head has the shares of kinds of code")
    check.that(share(text, "render") or 0 > 20, f"{words}: the table has the busy function")
    check.that(SHOWN in text or width < 100, f"{words}: a hostile name is escaped")


def narrow_and_wide(check, terminal):
    text = terminal.until("^ .* % .*render ")
    fits(check, text, 60, "60 columns")
    check.that("q quit" in text, "60 columns: the last line lists the keys")
    terminal.run("resize-window", "-x", "200", "-y", "40")
    text = terminal.until(r"(?s)  \d+ samples  .*evil")
    fits(check, text, 200, "200 columns, after a resize")
    check.that("/app.js:1" in text, "200 columns: the table has the place of the function")
    title = terminal.run("display-message", "-p", "#{pane_title}")
    check.that("EVIL" not in title, f"no name reaches the terminal unescaped: title {title!r}")


def keys(check, terminal):
    terminal.press("Space")
    terminal.until("FROZEN")
    frozen = samples_of(terminal.text())
    time.sleep(2.2)
    check.equal(samples_of(terminal.text()), frozen, "space freezes the table")
    terminal.press("Space")
    wait_until(lambda: samples_of(terminal.text()) not in (0, frozen))
    check.that("FROZEN" not in terminal.text(), "space continues")
    terminal.press("/", "r", "e", "n", "d", "Enter")
    text = terminal.until("filter: rend ")
    check.that("render" in text and "evil" not in text, "a filter leaves only matching rows")
    terminal.press("Escape")
    terminal.until("evil")
    terminal.press("t")
    check.that("main thread" in terminal.until("thread +where"), "t shows threads")
    terminal.press("p")
    check.that("app.js" in terminal.until("process +where"), "p shows processes")
    terminal.press("f", "o")
    text = terminal.until("o:total")
    rows = re.findall(r"^ *[0-9.]+ % *([0-9.]+) %", text, re.M)
    check.that(rows and rows == sorted(rows, key=float, reverse=True), "o sorts by total")
    terminal.press("o", "o")


def saves(check, terminal, tmp):
    table = terminal.until("o:self")
    terminal.press("s")
    terminal.until("^saved ")
    files = os.listdir(tmp)
    check.that(len(files) == 1 and re.fullmatch(r"unspool-app\.js-\d+-\w+-1\.(html|ndjson)", files[0]),
               f"s writes one profile, and nothing else lies beside it: {files}")
    path, lines = os.path.join(tmp, files[0]), os.path.join(tmp, "lines.ndjson")
    unspool("convert", path, lines)
    profile = Profile(lines)
    check.equal((profile.count(), stat.S_IMODE(os.stat(path).st_mode)),
                (profile.summary["samples"], 0o600), "the profile is whole and private")
    report = unspool("report", "--by", "function", path).stdout
    shares = share(table, "render"), share(report, "render")
    check.that(None not in shares and abs(shares[0] - shares[1]) < 15,
               f"the table has the shares that `report` prints for the profile: {shares}")


def on_a_terminal(check, tmp, script, binary):
    with running([binary, script], b"running") as child, \
            Tmux(60, 24, tmp, UNSPOOL, "top", "-F", 499, "-p", child.pid) as terminal:
        narrow_and_wide(check, terminal)
        keys(check, terminal)
        saves(check, terminal, tmp)
        terminal.press("q")
        check.that("exit 0" in terminal.until("^exit"), "q ends `top` with status 0")


def targets(check, tmp, script, binary):
    with running([binary, script], b"running"), running([BUSY], b"running") as other:
        with Tmux(100, 24, tmp, UNSPOOL, "top", "-F", 499, "-p", other.pid) as terminal:
            text = terminal.until("busy_inner")
            check.that("busy_inner" in text and "render" not in text,
                       "the table of another process has the functions of that process only")
            terminal.press("C-c")
            check.that("exit 0" in terminal.until("^exit"), "Ctrl-C ends `top` with status 0")
        with Tmux(100, 40, tmp, UNSPOOL, "top", "-F", 499) as terminal:
            check.that("all  (" in terminal.until("(?s)^all  .*process +where"),
                       "without a target `top` shows all processes")
            pid = terminal.run("list-panes", "-F", "#{pane_pid}").strip()
            children = subprocess.run(["pgrep", "-P", pid], stdout=subprocess.PIPE, check=True)
            os.kill(int(children.stdout), signal.SIGKILL)
            terminal.until("exit 137")
        for table, names in (("functions", ("render", "busy_inner")),
                             ("processes", ("app.js", "busy"))):
            text = unspool("top", "-d", 2, "--table", table, "--top", 100000).stdout
            check.that(all(share(text, name) is not None for name in names),
                       f"without a target the table of {table} has those of both programs")
    check.equal(os.listdir(tmp), [], "no file is left, even if `top` is killed")


def command(check, tmp):
    """The output of COMMAND must not disturb the screen."""
    with Tmux(80, 24, tmp, UNSPOOL, "top", "-F", 997, BUSY, 1500) as terminal:
        text = terminal.until("busy_inner")
        check.that("busy_inner" in text and "running" not in text,
                   "the output of COMMAND is not on the screen")
        check.that("exit 0" in terminal.until("^exit", 40),
                   "`top` ends with the status of COMMAND")


def without_a_terminal(check, script, binary):
    with running([binary, script], b"running") as child:
        done = unspool("top", "-F", 499, "-p", child.pid, "-d", "3500ms", "--interval", "1s",
                       "--top", 2)
        tables = done.stdout.split("\n\n")[:-1]
        check.that(done.returncode == 0 and len(tables) >= 3,
                   f"without a terminal `top` prints a table each second: {len(tables)}")
        check.that(all(FOOT.search(table) for table in tables), "each table has its foot")
        check.that("render" in tables[-1] and "\x1b" not in done.stdout,
                   "the table has the busy function and no control character")
        rows = [len(re.findall(r"^ *[0-9.]+ % ", table, re.M)) for table in tables]
        check.equal(max(rows), 2, "--top limits the number of rows")
        done = unspool("top", "-F", 499, "-p", child.pid, "-d", "3500ms", "--interval", "1s",
                       "--max-profile", "1k")
        last = done.stdout.split("\n\n")[-2]
        check.that(done.returncode == 0 and last.startswith("app.js  (node 24") and
                   "last 1 s" in last and "render" in last,
                   "a profile that reached its limit begins again, with all names")
        os.kill(child.pid, signal.SIGSTOP)
        done = unspool("top", "-p", child.pid, "-d", 1)
        check.equal((done.returncode, len(done.stderr.splitlines())), (1, 1),
                    f"a stopped process gives no sample and status 1: {done.stderr.strip()!r}")


def main():
    need_bpf()
    check = Checks()
    binary = node(version_of("24"))
    with folder() as tmp:
        script = os.path.join(tmp, "app.js")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        folders = [os.path.join(tmp, name) for name in ("a", "b", "c")]
        for path in folders:
            os.mkdir(path)
        at_once(4, [lambda: on_a_terminal(check, folders[0], script, binary),
                    lambda: targets(check, folders[1], script, binary),
                    lambda: command(check, folders[2]),
                    lambda: without_a_terminal(check, script, binary)])
    return check.end()


sys.exit(main())
