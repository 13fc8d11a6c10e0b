# SPDX-License-Identifier: BSD-2-Clause
"""Runs commands as in a reader's shell, in a new folder, with unspool and unspool-sim on the PATH.

The folder contains links to the tree and to the build, and server.js and app.js. A busy Node.js
runs server.js. To save time, recordings of several seconds take one second, and a recording without
an end gets Ctrl-C after two.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import time

from pages import TOP

DURATION = re.compile(r"(unspool (record|capture|jitdump tail)\b[^\n|&]* -d )\d+\w*")
PLACES = re.compile(r"/tmp/unspool-docs-\w+")  # /srv/app on the pages

# Programs that the tree builds and a reader has on the PATH.
SHIM = """#!/bin/sh
case "$1 $* " in
"record "*" -d "* | "record "*" -- "* | "record "*--help*) ;;
"record "*) [ "$IN_BACKGROUND" ] || exec timeout --preserve-status -s INT 2 {program} "$@" ;;
esac
exec {program} "$@"
"""


def make_folder(work, node, build, programs):
    """Fills the folder; returns the environment variables of the shell."""
    for name in os.listdir(TOP):
        if not name.startswith(".") and not name.startswith("build"):
            os.symlink(os.path.join(TOP, name), os.path.join(work, name))
    os.symlink(build, os.path.join(work, "build"))
    for name, source in {"server.js": "workload.js", "app.js": "workload.js"}.items():
        shutil.copy(os.path.join(TOP, "fixtures/node", source), os.path.join(work, name))
    tools = os.path.join(work, ".bin")
    os.mkdir(tools)
    scripts = {"unspool": SHIM.format(program=programs["unspool"]), "sudo": '#!/bin/sh\nexec "$@"\n',
               "unspool-sim": f'#!/bin/sh\nexec {programs["unspool-sim"]} "$@"\n',
               "node": f'#!/bin/sh\nexec {node} "$@"\n'}
    for name, text in scripts.items():
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(tools, name), 0o755)
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb",
                NODE=node)


class Shell:
    """Runs commands one after another in the same folder, so that a command can use the files and
    jobs of earlier ones."""

    def __init__(self, work, environment):
        self.work, self.environment = work, environment
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=self.work, env=self.environment, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.tries = 1
        self.run_once("set -m", 0)  # background jobs, which Ctrl-C ends

    def run(self, command, pid):
        """Returns (exit status, output). After a background job, repeats the command until it
        succeeds, as the job takes some time to start."""
        tries, self.tries = self.tries, 30 if command.endswith(" &") else 1
        while (result := self.run_once(command, pid))[0] and tries > 1:
            time.sleep(0.5)
            tries -= 1
        return result

    def run_once(self, command, pid, seconds=60):
        """Runs a command; returns (exit status, output). The status is None after a timeout."""
        command = re.sub(r"\bPID\b", str(pid), command)
        command = DURATION.sub(lambda m: f"{m[1]}1{' -F 997' * (m[2] == 'record')}", command)
        if command.endswith(" &"):
            command = f"IN_BACKGROUND=1 {command[:-1]} >job.out 2>&1 &"
        end = f"end-{time.monotonic_ns()}"
        script = f"{command}\nprintf '\\n%s %s\\n' {end} $?\n"
        self.process.stdin.write(script.encode())
        self.process.stdin.flush()
        output, until = b"", time.monotonic() + seconds
        while not (found := re.search(rb"\n" + end.encode() + rb" (\d+)\n", output)):
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            some = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not some:
                self.end()
                self.start()
                return None, output.decode("utf-8", "replace")
            output += some
        return int(found[1]), PLACES.sub("/srv/app", output[:found.start()].decode("utf-8", "replace"))

    def finish(self):
        """Sends SIGINT to all jobs, and kills those that do not end."""
        self.run_once("kill -INT $(jobs -p) 2>/dev/null; wait", 0, seconds=10)
        self.run_once("kill -KILL $(jobs -p) 2>/dev/null", 0)
        self.end()

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
