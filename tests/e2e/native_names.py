#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests names, starts and lines of live native code: stripped programs, deleted files, debug files
only in the target's mount namespace or in a folder, fetched debug files, and hostile paths of debug
files."""

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
import time

from lib import Checks, Profile, TOP, at_once, folder, leave_out, need_bpf, record, running, skip, unspool

INLINED = os.environ["UNSPOOL_INLINED"]
FUNCTIONS = os.environ["UNSPOOL_STRIPPED"]  # stripped.c, not yet stripped
LEAVES = {"first", "second", "exported", "hidden"}
SOURCE = os.path.join(TOP, "tests/e2e/inlined.c")
CHAIN = ["mix", "round_of", "work", "main"]


def marked_lines():
    """Returns {function: line} of the comments `in FUNCTION` in the source."""
    with open(SOURCE, encoding="utf-8") as file:
        return {m[1]: n for n, line in enumerate(file, 1)
                if (m := re.search(r"/\* in (\w+) \*/", line))}


def share_of_chain(profile, with_lines):
    """Returns (native samples with the right inlined functions and lines, all native samples)."""
    lines = marked_lines()
    outer = [(name, lines[name], name in CHAIN[:2]) for name in CHAIN[1:]]

    def is_chain(_, frames, __):
        top = [f for f in frames if f["kind"] == "native"][:4]
        if not with_lines:
            return [f.get("name") for f in top[:2]] == ["work", "main"] and \
                not any("line" in f for f in top[:2])
        return [(f.get("name"), f.get("line"), f.get("inlined", False)) for f in top[1:]] == outer \
            and top[0].get("name") == "mix" and top[0].get("inlined") \
            and top[0].get("line") in (lines["mix"] - 1, lines["mix"]) \
            and all(f["file"].endswith("tests/e2e/inlined.c") and f.get("column") for f in top)

    all_ = profile.count(lambda s, f, l: any(x["kind"] == "native" for x in f))
    return profile.count(is_chain), all_


def expect(check, words, pid, tmp, with_lines=True):
    """Records @pid and checks that most samples have the right lines, or no line without
    @with_lines. Returns the seconds that the recording took."""
    out = os.path.join(tmp, "out.ndjson")
    began = time.monotonic()
    done = unspool("record", "-q", "-F", 499, "-o", out, "-p", pid, "-d", 1)
    took = time.monotonic() - began
    check.equal(done.returncode, 0, f"{words}: the recording succeeds")
    n, all_ = share_of_chain(Profile(out), with_lines)
    check.that(n > 0.8 * all_ and all_ > 15,
               f"{words}: more than 80 % of the samples have "
               f"{'the right' if with_lines else 'no'} lines: "
               f"{n} of {all_}")
    os.unlink(out)
    return took


@contextlib.contextmanager
def in_namespace(script, path):
    """Runs a shell script and then @path in a new mount namespace; yields the process."""
    with running(["unshare", "-m", "sh", "-ec", f"{script}\nexec {path}"], b"running") as child:
        yield child


def make_stripped(tmp):
    """Returns the paths of a stripped program, of its debug file, and where the recorder looks for
    a debug file of this build id."""
    stripped, debug = os.path.join(tmp, "stripped"), os.path.join(tmp, "debug")
    subprocess.run(["objcopy", "--only-keep-debug", INLINED, debug], check=True)
    subprocess.run(["strip", "-o", stripped, INLINED], check=True)
    notes = subprocess.run(["readelf", "-n", INLINED], check=True, capture_output=True,
                           text=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    return stripped, debug, f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"


def plain_and_deleted(check, tmp):
    path = os.path.join(tmp, "copy")
    shutil.copy(INLINED, path)
    with running([path], b"running") as child:
        expect(check, "a program with debug information", child.pid, tmp)
        os.unlink(path)
        expect(check, "a program with debug information whose file was deleted", child.pid, tmp)


def stripped_alone(check, tmp, stripped):
    with running([stripped], b"running") as child:
        out = os.path.join(tmp, "out.ndjson")
        _, profile = record("-p", child.pid, "-d", 1, out=out)
        n, all_ = share_of_chain(profile, True)
        check.that(n == 0 and all_ > 15, "a stripped program without a debug file has no lines")
        names = {f.get("name") for f in profile.of("frame")}
        check.that("work" not in names,
                   "a stripped program without a debug file has no names of functions")
        os.unlink(out)


def judge_functions(profile, names):
    """Returns ({function: samples in which it is the leaf}, frames that are named after another
    function or have another start). @names has the functions by link-time address."""
    leaves, wrong = {}, []
    for n, _, frames, _ in profile.samples():
        top = next(f for f in frames if f["kind"] != "kernel")
        if "addr" in top:
            bias = int(top["addr"], 16) - int(top["off"], 16)
            name = names.get(int(top.get("start_off", "0x0"), 16) + bias)
        else:
            name = top.get("name")
        if name in LEAVES and (name == "exported") == ("name" in top):
            leaves[name] = leaves.get(name, 0) + n
        else:
            wrong.append(top)
    return leaves, wrong


def functions_by_start(check, tmp):
    """Checks that a stripped program's functions are distinguished, that none has the name of the
    function before it, and that a folder of debug files adds the names later."""
    program, out = os.path.join(tmp, "program"), os.path.join(tmp, "out.ndjson")
    nm = subprocess.run(["nm", "--defined-only", FUNCTIONS], check=True, capture_output=True,
                        text=True).stdout
    names = {int(line.split()[0], 16): line.split()[2] for line in nm.splitlines()}
    subprocess.run(["strip", "-o", program, FUNCTIONS], check=True)
    with running([program], b"running") as child:
        _, profile = record("-p", child.pid, "-d", 2, out=out)
    leaves, wrong = judge_functions(profile, names)
    all_ = profile.count()
    check.that(set(leaves) == LEAVES and all(n > 0.02 * all_ for n in leaves.values()) and
               sum(leaves.values()) > 0.95 * all_ and all_ > 40,
               "each function of a stripped program has its own start, and only the exported "
               f"function has a name: {leaves} of {all_}; others: {wrong[:2]}")
    for frame in profile.frames.values():
        if "start_off" in frame:
            frame["start_off"] = frame["off"]
    check.that(sum(judge_functions(profile, names)[0].values()) < 0.6 * all_,
               "the judge refuses frames whose start is the executed place")
    report = unspool("report", out).stdout
    check.that(len(re.findall(r"^ .* program\+0x[0-9a-f]+ +" + re.escape(program) + "$", report,
                              re.M)) >= 3 and "[program]" not in report,
               "the report has a row for each function without a name")
    folder_of = os.path.join(tmp, "symbols")
    os.makedirs(os.path.join(folder_of, "deep"))
    debug = os.path.join(folder_of, "deep", "any.debug")
    shutil.copy("/bin/true", debug)
    other = unspool("report", "--debug-dir", folder_of, out)
    check.that(other.stdout == report and "no file has the build id" in other.stderr
               and program in other.stderr, "a file of another build in --debug-dir adds no name, "
               f"and the missing file is reported: {other.stderr}")
    subprocess.run(["objcopy", "--only-keep-debug", FUNCTIONS, debug], check=True)
    done = unspool("report", "--debug-dir", folder_of, out)
    named = done.stdout
    check.that("no file has" not in done.stderr and
               all(re.search(rf" {name} .*stripped.c:\d+$", named, re.M)
                   for name in ("first", "second")) and re.search(r" hidden ", named),
               "--debug-dir adds names and starts to the report")


def inside_only(check, tmp, stripped, debug, place):
    check.that(not os.path.exists(place), "the debug file does not exist outside of the namespace")
    script = (f"mount -t tmpfs none /usr/lib/debug; mkdir -p {os.path.dirname(place)}; "
              f"cp {debug} {place}")
    with in_namespace(script, stripped) as child:
        expect(check,
               "a debug file that exists only in the target's mount namespace", child.pid, tmp)
    root = os.path.join(tmp, "root")
    os.makedirs(os.path.join(root, "bin/.debug"))
    shutil.copy(debug, os.path.join(root, "bin/.debug/linked"))
    for library in re.findall(r"(/\S+) \(", subprocess.run(
            ["ldd", INLINED], check=True, capture_output=True, text=True).stdout):
        os.makedirs(root + os.path.dirname(library), exist_ok=True)
        shutil.copy(library, root + library)
    shutil.copy(debug, os.path.join(tmp, "linked"))
    subprocess.run(["objcopy", f"--add-gnu-debuglink={tmp}/linked", stripped,
                    os.path.join(root, "bin/prog")], check=True)
    os.unlink(os.path.join(tmp, "linked"))
    with running(["chroot", root, "/bin/prog"], b"running") as child:
        expect(check, "a debug link of a program in a chroot", child.pid, tmp)
    os.unlink(os.path.join(root, "bin/.debug/linked"))
    os.symlink(debug, os.path.join(root, "bin/.debug/linked"))
    with running(["chroot", root, "/bin/prog"], b"running") as child:
        out = os.path.join(tmp, "out.ndjson")
        _, profile = record("-p", child.pid, "-d", 1, out=out)
        n, all_ = share_of_chain(profile, True)
        check.that(n == 0 and all_ > 15,
                   "the recorder does not follow a symbolic link in the chroot to a debug file "
                   "outside")
        os.unlink(out)


def traps(check, tmp, stripped, place):
    script = f"mount -t tmpfs none /usr/lib/debug; mkdir -p {os.path.dirname(place)}; "
    for what, command, why in (("a FIFO", f"mkfifo {place}", "is not a regular file"),
                               ("a file of another build", f"cp /bin/true {place}",
                                "is of another build")):
        with in_namespace(script + command, stripped) as child:
            out = os.path.join(tmp, "out.ndjson")
            done = unspool("record", "-F", 499, "-o", out, "-p", child.pid, "-d", 1, timeout=30)
            check.that(done.returncode == 0 and why in done.stderr,
                       f"`record` refuses {what} in place of a debug file: {done.stderr.strip()!r}")
            os.unlink(out)


@contextlib.contextmanager
def silent_fuse(place):
    """Mounts at @place a file system that never answers."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    try:
        if libc.mount(b"silent", place.encode(), b"fuse", 0, options):
            raise OSError(ctypes.get_errno(), "mount")
        yield
    finally:
        libc.umount2(place.encode(), 2)  # MNT_DETACH
        os.close(fd)  # requests for which processes wait then fail


def on_fuse(check, tmp, place):
    """Checks that functions have names from symbols while the search for the debug file hangs."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        leave_out("/dev/fuse cannot be opened", "fuse")
        return
    exported = os.path.join(tmp, "exported")
    subprocess.run(["strip", "--strip-debug", "-o", exported, INLINED], check=True)
    trap = os.path.dirname(os.path.dirname(place))
    trap_in_tmp = os.path.join(tmp, "trap")
    os.makedirs(trap_in_tmp)
    with silent_fuse(trap_in_tmp):
        script = f"mount -t tmpfs none /usr/lib/debug; mkdir -p {trap}; mount --bind {trap_in_tmp} {trap}"
        with in_namespace(script, exported) as child:
            took = expect(check, "debug files on a FUSE file system that hangs", child.pid, tmp,
                          with_lines=False)
            check.that(took < 15, "the recorder ends without waiting for the FUSE file system: "
                       f"{took:.1f} s")
            out = os.path.join(tmp, "out.ndjson")
            done = unspool("record", "-F", 99, "-o", out, "-p", child.pid, "-d", 8, timeout=40)
            check.that(done.returncode == 0 and "took too long" in done.stderr,
                       "the recorder reports that the search for debug files took too long: "
                       f"{done.stderr.strip()!r}")


def asked_for(path):
    """Returns the processes that have @path in their command line."""
    return [p for p in os.listdir("/proc") if p.isdigit()
            and path.encode() in open_or_empty(f"/proc/{p}/cmdline")]


def open_or_empty(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def fetched(check, tmp, stripped, debug):
    """Tests --debuginfod with programs in place of debuginfod-find: one returns the file, one
    returns another file, and one never ends."""
    program = os.path.join(tmp, "debuginfod-find")
    env = {**os.environ, "PATH": f"{tmp}:{os.environ['PATH']}"}
    env.pop("DEBUGINFOD_URLS", None)

    def recorded(child, answer, seconds):
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n[ $1 = debuginfo ] || exit 1\n{answer}\n")
        os.chmod(program, 0o755)
        out = os.path.join(tmp, "out.ndjson")
        done = unspool("record", "-F", 499, "-o", out, "-p", child.pid, "-d", seconds,
                       "--debuginfod", timeout=30, env=env)
        shown = share_of_chain(Profile(out), True) if os.path.exists(out) else (0, 0)
        return done, *shown

    with running([stripped], b"running") as child:
        done, *_ = recorded(child, f"echo {debug}", 1)
        check.that(done.returncode == 3 and "DEBUGINFOD_URLS" in done.stderr,
                   "`record` refuses --debuginfod without DEBUGINFOD_URLS: "
                   f"{done.stderr.strip()!r}")
        env["DEBUGINFOD_URLS"] = "http://127.0.0.1:9"
        done, n, all_ = recorded(child, f"echo {debug}", 1)
        check.that(done.returncode == 0 and n > 0.5 * all_ and all_ > 15,
                   "most samples have lines from the fetched debug file: "
                   f"{n} of {all_}")
        done, n, all_ = recorded(child, "echo /bin/true", 1)
        check.that(done.returncode == 0 and n == 0 and all_ > 15 and
                   "is of another build" in done.stderr, "a fetched file of another build is "
                                                         "refused and reported")
        began = time.monotonic()
        done, n, all_ = recorded(child, "exec sleep 600.25", 1)
        took = time.monotonic() - began
        check.that(done.returncode == 0 and n == 0 and all_ > 15 and took < 15,
                   f"a server that never answers does not block the recorder: {took:.1f} s")
        check.equal(asked_for("600.25"), [],
                    "no debuginfod-find process is left after the recording")


def main():
    need_bpf()
    if os.geteuid():
        skip("mounting needs root")
    check = Checks()
    with folder() as tmp:
        stripped, debug, place = make_stripped(tmp)

        def part(function, *args):
            own = os.path.join(tmp, function.__name__)
            os.mkdir(own)
            return lambda: function(check, own, *args)

        at_once(3, [part(on_fuse, place), part(inside_only, stripped, debug, place),
                    part(plain_and_deleted), part(traps, stripped, place),
                    part(stripped_alone, stripped), part(fetched, stripped, debug),
                    part(functions_by_start)])
    return check.end()


sys.exit(main())
