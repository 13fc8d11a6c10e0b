#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Selects processes by parts of names, packages and applications, and follows a name over restarts."""

import json
import os
import signal
import subprocess
import sys
import time

from lib import (UNSPOOL, Checks, at_once, folder, need_bpf, node, record, running, unspool,
                 version_of, wait_until)

SPIN = "function spin() { for (let i = 0; i < 1e6; i++); } console.log('running'); for (;;) spin();"
# The first process starts two others that work, as node:cluster and pm2 do.
CLUSTER = f"""
const cluster = require('cluster');
if (cluster.isPrimary) {{ cluster.fork(); cluster.fork(); cluster.on('online', () => {{
    if (++online === 2) console.log('running'); }}); }} else {{ {SPIN.replace("console.log('running');", "")} }}
var online = 0;
"""
DAEMON = f"""
const {{ fork }} = require('child_process');
fork(process.argv[2], {{ stdio: 'inherit' }}); fork(process.argv[2], {{ stdio: 'inherit' }});
setInterval(() => 0, 1000);
"""


def script(tmp, name, text, package=None):
    path = os.path.join(tmp, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if package:
        with open(os.path.join(tmp, "package.json"), "w", encoding="utf-8") as file:
            json.dump({"name": package}, file)
    return path


def pids_of(profile):
    return {s["pid"] for s in profile.of("samples")} if profile else None


def by_part_and_package(check, binary):
    with folder() as tmp:
        mark = f"shop{os.getpid()}"
        path = script(tmp, "dist/main.js", SPIN, f"@my/{mark}")
        other = script(tmp, f"{mark}.js", SPIN)
        with running([binary, path], b"running") as child:
            for wanted in (mark, f"@my/{mark}", path, os.path.join(tmp, "dist")):
                done, profile = record("-p", wanted, "-d", "500ms", out=os.path.join(tmp, "n.ndjson"))
                check.equal((done.returncode, pids_of(profile)), (0, {child.pid}),
                            f"-p {wanted.replace(tmp, '')} records the process: {done.stderr}")
            with running([binary, other], b"running") as twin:
                done = unspool("record", "-p", mark, "-d", "500ms", "-o", os.path.join(tmp, "t.ndjson"))
                lines = done.stderr.splitlines()
                check.equal((done.returncode, len(lines)), (2, 3), f"two applications: {lines}")
                for pid in (child.pid, twin.pid):
                    check.that(any(f"unspool record -p {pid} " in line for line in lines),
                               "the error message lists the command that records the process "
                               f"{pid}")
                check.that(not os.path.exists(os.path.join(tmp, "t.ndjson")),
                           "no profile is written if two applications match")
                done, profile = record("-p", f"{mark}.js", "-d", "500ms",
                                       out=os.path.join(tmp, "w.ndjson"))
                check.equal((done.returncode, pids_of(profile)), (0, {twin.pid}),
                            "-p records only the process whose whole name matches")


def by_application(check, binary):
    with folder() as tmp:
        mark = f"many{os.getpid()}"
        path = script(tmp, f"{mark}.js", CLUSTER)
        with running([binary, path], b"running"):
            done, profile = record("-p", mark, "-d", 1, out=os.path.join(tmp, "c.ndjson"))
            check.equal((done.returncode, len(pids_of(profile) or ())), (0, 2),
                        "-p records both workers of node:cluster as one application: "
                        f"{done.stderr}")
        worker = script(tmp, f"worker{mark}.js", SPIN)
        daemon = script(tmp, "daemon.js", DAEMON)
        with running([binary, daemon, worker], b"running"):
            time.sleep(0.5)
            done, profile = record("-p", f"worker{mark}", "-d", 1, out=os.path.join(tmp, "d.ndjson"))
            check.equal((done.returncode, len(pids_of(profile) or ())), (0, 2),
                        "-p records two children of one Node.js process as one application: "
                        f"{done.stderr}")


def has_samples_of(path, pid):
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return any('"type":"samples"' in line and f'"pid":{pid},' in line for line in file)


def followed(check, binary):
    with folder() as tmp:
        name = f"restarts{os.getpid()}.js"
        path, out = script(tmp, name, SPIN), os.path.join(tmp, "f.ndjson")
        argv = [UNSPOOL, "record", "-q", "-p", name, "--follow", "-F", "997", "-d", "60", "-o", out]
        partial = os.path.join(tmp, ".f.ndjson.partial")
        pids = set()
        with running(argv, stderr=subprocess.PIPE) as recorder:
            said = recorder.stderr.readline().decode()
            check.that("no process has this name yet" in said,
                       f"--follow waits for a process of the name: {said.strip()}")
            for _ in range(2):
                with running([binary, path], b"running") as child:
                    pids.add(child.pid)
                    wait_until(lambda pid=child.pid: has_samples_of(partial, pid))
            recorder.stderr.close()
            recorder.send_signal(signal.SIGINT)
            check.equal(recorder.wait(30), 0, "--follow ends by SIGINT")
        done = unspool("report", "--json", out)
        found = {json.loads(line).get("pid") for line in done.stdout.splitlines()}
        check.that(pids <= found, f"--follow records both processes of the name: {pids} of {found}")
        done = unspool("record", "--follow", "-p", 1)
        check.equal((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr.strip())


def hints(check):
    with folder() as tmp:
        fake = os.path.join(tmp, "node")
        os.symlink("/bin/true", fake)
        path = {**os.environ, "PATH": f"{tmp}:{os.environ['PATH']}"}
        for words, hinted in ((["node", "-d", "2"], "unspool record -p node -d 2"),
                              (["node"], "unspool record -p node"), (["node", "app.js"], None),
                              (["true"], None)):
            done = unspool("record", *words, cwd=tmp, env=path)
            check.that((hinted in done.stderr if hinted else "hint: this" not in done.stderr) and
                       done.returncode == 0, f"record {' '.join(words)}: {done.stderr.strip()!r}")


def main():
    need_bpf()
    check = Checks()
    binary = node(version_of("24"))
    at_once(4, [lambda: by_part_and_package(check, binary), lambda: by_application(check, binary),
                lambda: followed(check, binary), lambda: hints(check)])
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
