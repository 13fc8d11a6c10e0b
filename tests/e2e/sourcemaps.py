#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sourcemaps.py [next]: tests whether functions of generated JavaScript get the names and lines of
their sources.

ci/sourcemaps builds fixtures/sourcemaps with each tool that makes source maps. All these builds run
at once, in one recording. Each function must have the name, file and start that it has in the
source (`// = NAME` is on the line where NAME begins), and a line in the function's body. No
position in generated code may appear as a position in a source.

A bundle without its map, as on a machine that did not build it, must be reported once, and the same
judge must refuse it. With --source-maps the judge must accept it.

TypeScript that a loader translates without a source map must have no lines, and the recorder and
the report must say so. TypeScript whose types Node.js replaces by spaces must have its own lines.

next: judges the server of a Next.js application, which `ci/sourcemaps --next` builds, while the
server handles a request.
"""

import contextlib
import os
import re
import socket
import sys
import threading
import urllib.request

from lib import CACHE, TOP, Checks, Profile, folder, need_bpf, node, running, skip, unspool, version_of

SOURCES = os.path.join(TOP, "fixtures/sourcemaps")
BUILT = os.environ.get("UNSPOOL_SOURCEMAPS_DIR") or os.path.join(CACHE, "sourcemaps")
BUILT_NEXT = os.path.join(CACHE, "sourcemaps-next")
MAJOR, NEXT_MAJOR = "22", "24"
SECONDS = 4
ENOUGH = 20  # samples of a function
BUSY = {"hashRow", "weighRow"}  # the functions that take most of the time
TOOLS = {
    "tsc": ["tsc/app.js"],
    "esbuild": ["esbuild/app.js"],
    "webpack": ["webpack/app.js"],
    "vite": ["vite/app.mjs"],
    "tsx": ["--import", "tsx", "src/app.ts"],
    "ts-node": ["-r", "ts-node/register/transpile-only", "src/app.ts"],
}


PLAIN = """interface Row {
	key: string;
}

function hashText(row: Row): number {
	let hash = 17;
	for (let i = 0; i < 100000; i++)
		hash = (hash * 31 + row.key.length * i) % 1000003;
	return hash;
}

console.log('started');
while (true)
	hashText({ key: `\u00e4${Date.now()}` });
"""
HOOKS = """import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
const ts = createRequire('BUILT/')('typescript');
export async function load(url, context, next) {
	if (!url.endsWith('.ts'))
		return next(url, context);
	const text = await readFile(new URL(url), 'utf8');
	const options = { module: 'esnext', target: 'esnext' };
	const source = ts.transpileModule(text, { compilerOptions: options }).outputText;
	return { format: 'module', shortCircuit: true, source };
}
"""
REGISTER = """import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);
"""


def functions():
    """Returns {(file name, first line): (name, last line)} of the functions in the sources."""
    found = {}
    for path in "app.ts", "work.ts", "next/app/api/work/route.ts":
        with open(os.path.join(SOURCES, path), encoding="utf-8") as source:
            lines = source.read().splitlines()
        file = os.path.basename(path)
        for i, line in enumerate(lines):
            if match := re.search(r"^(\s*)(?!//)\S.*// = (\w+)$", line):
                last = next(k for k in range(i + 1, len(lines))
                            if re.match(match.group(1) + r"}", lines[k]))
                found[file, i + 1] = match.group(2), last + 1
    return found


FUNCTIONS = functions()


def wrong(frame):
    """Returns the fault of an application's frame, or None if there is none, or if the frame is a
    script's top level."""
    file, start = os.path.basename(frame["file"]), frame.get("start_line", 0)
    line, name = frame.get("line", 0), frame.get("name")
    if "generated_file" not in frame:
        return "no source"
    if not start:
        inside = any(f == file and first <= line <= last
                     for (f, first), (_, last) in FUNCTIONS.items())
        return "a function without a start" if inside else None
    if (file, start) not in FUNCTIONS:
        return "no function of the source starts at the recorded position"
    want, last = FUNCTIONS[file, start]
    if name != want:
        return f"at the recorded position the source has the function {want}"
    return None if not line or start <= line <= last else "the line is not in the frame's function"


def is_own(frame):
    files = frame.get("file", ""), frame.get("generated_file", "")
    return (frame["kind"] == "js" and not any("/node_modules/" in file for file in files)
            and not files[0].startswith("node:"))


def judge(profile, pid):
    """Returns (samples by leaf function, the set of faults of frames)."""
    seen, faults = {}, set()
    for count, _, frames, line in profile.samples():
        if line["pid"] != pid:
            continue
        for i, frame in enumerate(frames):
            if not is_own(frame):
                continue
            fault = wrong(frame)
            # Some tools add a wrapper, whose top level is in no source.
            if fault == "no source" and frame.get("start_line") == 1 == frame.get("start_column"):
                continue
            if fault:
                faults.add(f"{frame.get('name')} {frame.get('file')}:{frame.get('line')}"
                           f" from {frame.get('start_line')}: {fault}")
            elif i == 0:
                seen[frame["name"]] = seen.get(frame["name"], 0) + count
    return seen, faults


def is_right(seen, faults):
    return not faults and all(seen.get(name, 0) >= ENOUGH for name in BUSY)


def without_map(binary, tmp, checks):
    """Judges TypeScript that is translated without a source map, in two ways."""
    source = os.path.join(tmp, "plain.ts")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLAIN)
    for name, text in ("hooks.mjs", HOOKS), ("register.mjs", REGISTER):
        with open(os.path.join(tmp, name), "w", encoding="utf-8") as file:
            file.write(text.replace("BUILT", BUILT))
    start = PLAIN[:PLAIN.index("function")].count("\n") + 1
    hook = ["--import", os.path.join(tmp, "register.mjs")]
    for how, argv, want in ("a loader", hook, None), ("Node.js", [], start):
        words = f"TypeScript translated by {how}:"
        out = os.path.join(tmp, "plain.ndjson")
        with running([binary, *argv, source], b"started") as child:
            done = unspool("record", "-F", 997, "-d", "1.5s", "-o", out, "-p", child.pid)
        frames = [f for _, _, frames, _ in Profile(out).samples() for f in frames
                  if f["kind"] == "js" and f.get("file", "").endswith("plain.ts")]
        starts = {f.get("start_line") for f in frames if f["name"] == "hashText"}
        lined = any("line" in f or "start_line" in f for f in frames)
        checks.equal((starts, lined), ({want}, want is not None), f"{words} the function has "
                     + ("its line" if want else "no line"))
        for part, text in ("recorder", done.stderr), ("report", done.stdout):
            checks.equal(text.count("source map"), int(want is None),
                         f"{words} the {part} mentions a source map only if it is missing")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def request(port):
    with contextlib.suppress(OSError):  # the server is killed while it handles the request
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/work?seconds=60").close()


def next_server():
    need_bpf()
    binary, port = node(version_of(NEXT_MAJOR)), free_port()
    if not os.path.exists(os.path.join(BUILT_NEXT, "made-of")):
        skip("this test needs the application that `ci/sourcemaps --next` builds")
    checks = Checks()
    argv = [binary, os.path.join(BUILT_NEXT, "node_modules/next/dist/bin/next"), "start", "-p", port]
    with folder() as tmp, running(argv, cwd=os.path.join(BUILT_NEXT, "next")) as server:
        while b"Ready" not in server.stdout.readline():
            pass
        threading.Thread(target=request, args=[port], daemon=True).start()
        out = os.path.join(tmp, "next.ndjson")
        unspool("record", "-F", 997, "-d", SECONDS, "-o", out, "-p", server.pid)
        profile = Profile(out)
    seen, faults = judge(profile, server.pid)
    checks.that(is_right(seen, faults), "Next.js: functions have the source's names and lines: "
                f"{seen}, {sorted(faults)[:4]}")
    routes = profile.count(lambda _, frames, __: any(f.get("name") == "GET" for f in frames))
    checks.that(routes >= ENOUGH, f"Next.js: {routes} samples have the function of the route")
    for key, (name, last) in list(FUNCTIONS.items()):
        FUNCTIONS[key] = name + "X", last
    checks.that(not is_right(*judge(profile, server.pid)),
                "the judge refuses functions with other names")
    return checks.end()


def main():
    need_bpf()
    binary = node(version_of(MAJOR))
    if not os.path.exists(os.path.join(BUILT, "made-of")):
        skip("this test needs the bundles that ci/sourcemaps builds")
    checks = Checks()
    with folder() as tmp, contextlib.ExitStack() as stack:
        def start(argv):
            return stack.enter_context(running([binary, *argv, "60"], b"started", cwd=BUILT)).pid

        pids = {tool: start(argv) for tool, argv in TOOLS.items()}
        unmapped = start(["unmapped/app.js"])
        out = os.path.join(tmp, "all.ndjson")
        done = unspool("record", "-F", 997, "-d", SECONDS, "-o", out, "-p",
                       ",".join(map(str, [*pids.values(), unmapped])))
        profile = Profile(out)
        for tool, pid in pids.items():
            seen, faults = judge(profile, pid)
            checks.that(is_right(seen, faults),
                        f"{tool}: functions have the source's names and lines: "
                        f"{seen}, {sorted(faults)[:4]}")
        checks.that(not is_right(*judge(profile, unmapped)),
                    "the judge refuses a bundle that lacks the source map")
        checks.equal(done.stderr.count("its source map"), 1,
                     "the recorder reports a missing source map once")
        without_map(binary, tmp, checks)
        mapped = os.path.join(tmp, "mapped.ndjson")
        unspool("convert", "--source-maps", os.path.join(BUILT, "unmapped"), out, mapped)
        seen, faults = judge(Profile(mapped), unmapped)
        checks.that(faults,
                    "the judge refuses a bundle if the folder of --source-maps lacks the source "
                    "map")
        unspool("convert", "--source-maps", stand_in(tmp), out, mapped)
        seen, faults = judge(Profile(mapped), unmapped)
        checks.that(is_right(seen, faults), "functions have the source's names and lines with "
                    f"--source-maps: {seen}, {sorted(faults)[:4]}")
    return checks.end()


def stand_in(tmp):
    """Makes a folder with the bundle and its map, as on the builder's machine."""
    path = os.path.join(tmp, "unmapped")
    os.mkdir(path)
    for file in "unmapped/app.js", "maps/app.js.map":
        os.symlink(os.path.join(BUILT, file), os.path.join(path, os.path.basename(file)))
    return path


sys.exit(next_server() if sys.argv[1:] == ["next"] else main())
