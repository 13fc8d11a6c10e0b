#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reads, masks, freezes, dumps and exports the rings of the flight recorder: during a recording,
after the recorder was killed, beside unrelated pinned objects, and without a mounted BPF file
system. Runs in its own mount namespace, with its own BPF file system."""

import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

from lib import UNSPOOL, Checks, folder, need_bpf, running, unspool, wait_until

PINNED = "/sys/fs/bpf"
LOST = os.environ.get("UNSPOOL_LOST", "lost")
SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
BPFTOOL = shutil.which("bpftool", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "bpftool"


def flight(*args, **options):
    return subprocess.run([UNSPOOL, "flight", *args], capture_output=True, text=True,
                          timeout=60, check=False, **options)


def pinned(pid):
    return [os.path.join(PINNED, d) for d in os.listdir(PINNED) if d.startswith(f"unspool-{pid}-")]


@contextlib.contextmanager
def recorder(target, tmp, *args, name="p.ndjson"):
    """Starts a recording; with --flight, yields once there are walks in the rings."""
    argv = [UNSPOOL, "record", "-q", "-F", "499", "-p", str(target.pid), "-o",
            os.path.join(tmp, name), *args]
    with running(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        if "--flight" in args:
            wait_until(lambda: flight("cat", "--recorder", str(child.pid)).stdout.count(" end ") > 9)
        yield child


def events(pid, *args):
    lines = flight("cat", "--recorder", str(pid), *args).stdout.splitlines()
    return [line.split()[2] if "#" in line else line.split()[1] for line in lines]


def masks(c, child):
    pid = str(child.pid)
    shown = flight("show", "--recorder", pid).stdout.splitlines()
    command = shown[-1].split()
    c.that(command[:4] == ["unspool", "flight", "mask", "set"],
           "the last line that `show` prints is a `mask set` command")
    c.that(any(" s old" in line for line in shown), "`show` prints the time span of the rings")
    c.that("step" not in set(events(pid)), "the recorder records no steps by default")
    c.that(flight("mask", "bits", "step", "--recorder", pid).returncode == 0,
           "`mask bits step` exits with 0")
    wait_until(lambda: "step" in events(pid))
    c.that("begin" in events(pid, "--since", "100ms"),
           "`mask bits step` does not clear other bits of the mask")
    c.that(events(pid, "--events", "mask").count("mask") >= 2,
           "the rings contain an event for each change of the mask")
    raw = flight("cat", "--raw", "--recorder", pid).stdout.split()
    c.that(sum(len(word) == 16 for word in raw) > len(raw) // 2,
           "`cat --raw` prints words of 16 hexadecimal digits")
    flight("mask", "clear", "step,begin", "--recorder", pid)
    flight("clear", "--recorder", pid)
    time.sleep(0.3)
    c.that("step" not in events(pid), "`mask clear step` stops the recording of steps")
    subprocess.run([UNSPOOL, *command[1:]], check=True)
    c.that(flight("show", "--recorder", pid).stdout.splitlines()[-1] == shown[-1],
           "the command that show prints restores the mask")
    for bad in ("nonsense", "begin,", ",", "", "decision", "0xfffffffff", "-1"):
        done = flight("mask", "set", bad, "--recorder", pid)
        c.that(done.returncode == 2 and done.stderr.count("\n") == 1,
               f"`mask` refuses the mask '{bad}' in one line")
    c.that(flight("show", "--recorder", pid).stdout.splitlines()[-1] == shown[-1],
           "a refused mask changes nothing")


def reading(c, child):
    pid = str(child.pid)
    ends = [w for w in flight("cat", "--on", "truncated", "--recorder", pid).stdout.splitlines()
            if " end " in w]
    c.that(ends and all('"unknown pc"' in e or '"guessed frame"' in e or "rows not" in e
                        for e in ends), "`cat --on truncated` prints truncated walks only")
    c.that(" end " not in flight("cat", "--on", "end", "--recorder", pid).stdout,
           "`cat --on end` prints nothing if no walk of the program is complete")
    c.that(not events(pid, "-p", "1"), "`cat -p` prints nothing for a process that is not recorded")
    c.that(flight("cat", "--cpu", "5000", "--recorder", pid).returncode == 2,
           "`cat --cpu` refuses a CPU that does not exist")
    follower = subprocess.Popen([UNSPOOL, "flight", "cat", "--follow", "--recorder", pid],
                                stdout=subprocess.PIPE)
    line = follower.stdout.readline()
    follower.stdout.close()
    c.that(line and follower.wait(20) in (-signal.SIGPIPE, 1),
           "`cat --follow` ends when the reader closes the pipe")
    c.that(flight("cases", "--list", "--recorder", pid).stdout.startswith("pid "),
           "`cases --list` prints a line for each failed walk")


def is_nested(trace):
    """Returns how many slices lie inside another slice, or 0 if two slices of a thread overlap
    without nesting."""
    slices = sorted((e["tid"], e["ts"], -e["dur"], e["name"]) for e in trace if e["ph"] == "X")
    stack, n_inner = [], 0
    for tid, begin, minus, _ in slices:
        end = begin - minus
        while stack and (stack[-1][0] != tid or stack[-1][1] <= begin + 1e-6):
            stack.pop()
        if stack and end > stack[-1][1] + 1e-3:
            return 0
        n_inner += bool(stack)
        stack.append((tid, end))
    return n_inner


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Returns {number: values} of the fields of a protobuf message."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            value, at = varint(data, at)
        found.setdefault(key >> 3, []).append(value)
    return found


def exports(c, tmp, dump):
    out = os.path.join(tmp, "t.json")
    c.that(flight("export", dump, "-o", out).returncode == 0, "`export` writes JSON")
    with open(out, encoding="utf-8") as file:
        trace = json.load(file)["traceEvents"]
    c.that(is_nested(trace) > 0, "slices of steps are inside slices of walks")
    names = {e["name"] for e in trace if e["ph"] == "X"}
    c.that(names & {"unknown pc", "guessed frame"},
           "slices of walks have the walk's status as their name")
    packed = os.path.join(tmp, "t.pftrace")
    c.that(flight("export", dump, "-o", packed).returncode == 0, "`export` writes a Perfetto trace")
    with open(packed, "rb") as file:
        packets = [fields(p) for p in fields(file.read())[1]]
    kinds = [fields(p[11][0]).get(9, [0])[0] for p in packets if 11 in p]
    c.that(kinds.count(1) == kinds.count(2) == sum(e["ph"] == "X" for e in trace),
           "the Perfetto trace begins and ends as many slices as the JSON trace has")
    c.that(all(p.get(10) == [1] for p in packets), "every Perfetto packet has a sequence id")
    c.that(flight("dump", "-o", "-").returncode == 2, "`dump` refuses to write to stdout")
    for bad in ("t.txt", "json"):
        c.that(flight("export", dump, "-o", os.path.join(tmp, bad)).returncode == 2,
               f"`export` refuses the file name {bad}, which selects no format")
    with open(dump, "rb") as file:
        whole = file.read()
    cut = os.path.join(tmp, "cut.fr")
    for size in (0, 7, 40, len(whole) // 2):
        with open(cut, "wb") as file:
            file.write(whole[:size])
        c.that(flight("export", cut, "-o", out).returncode in (0, 1),
               f"`export` does not crash on a dump cut at {size} bytes")


def alone(c, tmp, target):
    """Checks SIGUSR2 and freezing for a recording without --flight."""
    with recorder(target, tmp, "--freeze", "unknown-pc", "-d", "20", name="f.ndjson") as child:
        wait_until(lambda: os.path.exists(os.path.join(tmp, "f-1.fr")))
        c.that(not pinned(child.pid), "without --flight the recorder pins no BPF object")
        child.send_signal(signal.SIGUSR2)
        wait_until(lambda: os.path.exists(os.path.join(tmp, "f-2.fr")))
    mode = stat.S_IMODE(os.stat(os.path.join(tmp, "f-1.fr")).st_mode)
    c.that(mode == 0o600, "only the owner can read the file of a dump")


def frozen(c, tmp):
    """Writes a case from the walk that froze the rings. The walked process has exited long
    before."""
    with running([LOST, "nowhere"], wait_for=b"running") as target:
        with recorder(target, tmp, "--freeze", "guessed-frame", "--freeze", "unknown-pc", "-d", "20",
                      name="g.ndjson"):
            wait_until(lambda: os.path.exists(os.path.join(tmp, "g-1.fr")))
    dump, out = os.path.join(tmp, "g-1.fr"), os.path.join(tmp, "g.json")
    flight("export", dump, "-o", out)
    with open(out, encoding="utf-8") as file:
        ends = [e["args"] for e in json.load(file)["traceEvents"]
                if e["ph"] == "i" and e["name"] == "walk"]
    listed = flight("cases", "--list", dump)
    done = flight("cases", dump, "-o", tmp)
    paths = [w for w in done.stdout.splitlines() if w.endswith(".core")]
    c.that(done.returncode == 0 and paths
           and listed.stdout.count("frozen because a walk ended") == len(paths),
           "`cases` writes a case for each walk that froze a ring")
    for path in paths:
        c.that(stat.S_IMODE(os.stat(path).st_mode) == 0o600,
               "only the owner can read the file of a case")
        shown = subprocess.run([SIM, "show", path], capture_output=True, text=True, check=False)
        regs = json.loads(shown.stdout)["registers"]
        c.that(any(e["pc"] == regs["pc"] and e["reason"].replace(" ", "-") in path for e in ends),
               "the case begins at the pc of a failed walk in the rings")
        run = subprocess.run([SIM, "run", path], capture_output=True, text=True, check=False)
        c.that(run.returncode == 0 and " 0 wrong" in run.stdout,
               "the case unwinds in the simulator as it did in the kernel")
    c.that(flight("cases", dump, "-o", os.path.join(tmp, "none")).returncode == 1,
           "`cases` fails if the output folder does not exist")


def killed(c, tmp, target):
    with recorder(target, tmp, "--flight", "-d", "60", name="k.ndjson") as child:
        follower = subprocess.Popen([UNSPOOL, "flight", "cat", "--follow", "--recorder",
                                     str(child.pid)], stdout=subprocess.DEVNULL)
        time.sleep(0.1)
        child.kill()
        c.that(follower.wait(20) == 0, "`cat --follow` ends when the recording is killed")
        child.wait()
        c.that(len(pinned(child.pid)) == 1, "a killed recorder leaves its rings")
        c.that("ended" in flight("show", "--recorder", str(child.pid)).stdout,
               "`show` reports that the recording has ended")
        dump = os.path.join(tmp, "k.fr")
        shown = flight("cat", "--recorder", str(child.pid)).stdout
        done = flight("dump", "--recorder", str(child.pid), "-o", dump)
        c.that(done.returncode == 0 and not pinned(child.pid),
               "`dump` reads and removes the rings of a killed recorder")
    c.that(" end " in shown and flight("cat", dump).stdout == shown,
           "`cat` prints the entries of a dump as it prints those of the rings")
    some = [line for line in shown.splitlines() if line.startswith("0 ")]
    c.that(flight("cat", "--cpu", "0", dump).stdout.splitlines() == some,
           "`cat --cpu` selects a CPU of a dump")
    c.that(flight("cat", "--since", "1h", dump).stdout == shown and
           not flight("cat", "--since", "1ms", dump).stdout,
           "`cat --since` of a dump counts from the time when the dump was written")
    for args in ["--follow", dump], ["--recorder", "1", dump], [dump, dump], ["--cpu", "5000", dump]:
        c.that(flight("cat", *args).returncode == 2, f"`cat` refuses {' '.join(args)}")
    c.that(flight("cat", __file__).returncode == 1, "`cat` refuses a file that is not a dump")
    exported = flight("export", dump, "-o", os.path.join(tmp, "k.json"))
    c.that(exported.returncode == 0, "`export` converts the dump of a killed recorder's rings")


def foreign(c):
    """Pinned objects that do not belong to a recorder are refused."""
    place = os.path.join(PINNED, "unspool-1-1")
    os.mkdir(place, 0o700)
    try:
        done = flight("show", "--recorder", "1")
        c.that(done.returncode == 1 and done.stderr.count("\n") == 1,
               "`show` refuses an empty directory in one line")
        for value, n in (("8", "1"), ("64", "1"), ("128", "2"), ("2112", "3")):
            for name in ("rings", "control", "names"):
                subprocess.run([BPFTOOL, "map", "create", f"{place}/{name}", "type", "array",
                                "key", "4", "value", value, "entries", n, "name", "x"],
                               check=True, stdout=subprocess.DEVNULL)
            done = flight("cat", "--recorder", "1")
            c.that(done.returncode == 1 and done.stderr.count("\n") == 1,
                   f"`cat` refuses pinned maps of {n} values of {value} bytes")
            for name in ("rings", "control", "names"):
                os.unlink(f"{place}/{name}")
        os.chmod(place, 0o777)
        c.that(flight("show", "--recorder", "1").returncode == 1,
               "`show` refuses a folder that others can write to")
    finally:
        os.rmdir(place)


def asleep(c, child):
    """`cat --follow` is stopped until the ring of 64 slots that it reads has wrapped; when it
    continues, `cat` counts the lost entries."""
    follower = subprocess.Popen([UNSPOOL, "flight", "cat", "--follow", "--recorder", str(child.pid)],
                                stdout=subprocess.PIPE, bufsize=0)
    follower.stdout.readline()  # one line only: communicate() reads the rest
    follower.send_signal(signal.SIGSTOP)
    time.sleep(3)
    follower.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    follower.terminate()
    lost, gaps, last = [], 0, {}
    lines = follower.communicate(timeout=20)[0].decode().splitlines()[:-1]
    for cpu, what, *rest in map(str.split, lines):
        if what == "lost":
            lost.append(int(rest[0]))
        elif what.startswith("#"):
            gaps += int(what[1:]) - last.get(cpu, int(what[1:])) not in (0, 1)
            last[cpu] = int(what[1:])
    c.that(sum(lost) > 64, f"`cat` prints how many entries it lost while it was stopped: {lost}")
    c.that(gaps <= len(lost),
           f"`cat` reports lost entries at each gap in the entries' numbers: {gaps} gaps")


def pinning(c, tmp, target):
    with recorder(target, tmp, "--flight", "-d", "60") as child:
        place = pinned(child.pid)[0]
        modes = {f: stat.S_IMODE(os.stat(os.path.join(place, f)).st_mode) for f in os.listdir(place)}
        c.that(modes == {"rings": 0o600, "control": 0o600, "names": 0o600} and
               stat.S_IMODE(os.stat(place).st_mode) == 0o700, "only the owner can read the rings")
        masks(c, child)
        reading(c, child)
        flight("mask", "bits", "step", "--recorder", str(child.pid))
        wait_until(lambda: "step" in events(child.pid))
        dump = os.path.join(tmp, "d.fr")
        c.that(flight("dump", "--recorder", str(child.pid), "-o", dump).returncode == 0,
               "`dump` writes the rings of a running recording")
        with recorder(target, tmp, "--flight", "--flight-memory", "4k", "-d", "60",
                      name="two.ndjson") as other:
            c.that(flight("cat").returncode == 2,
                   "`cat` without --recorder fails while there are two recordings")
            shown = flight("show").stdout
            c.that(all(f"--recorder {p.pid}\n" in shown for p in (child, other)),
                   "`show` lists both of two recordings")
            c.that(events(other.pid), "`cat` can read rings of 4 KiB")
            asleep(c, other)
            other.send_signal(signal.SIGINT)
            other.wait(30)
        follower = subprocess.Popen([UNSPOOL, "flight", "cat", "--follow", "--recorder",
                                     str(child.pid)], stdout=subprocess.PIPE)
        follower.stdout.readline()
        child.send_signal(signal.SIGINT)
        follower.communicate(timeout=30)
        child.wait(30)
        c.that(follower.returncode == 0, "`cat --follow` ends when the recording ends")
        c.that(not pinned(child.pid), "the recorder removes the pinned objects when the "
                                      "recording ends")
    with open(os.path.join(tmp, "p.ndjson"), encoding="utf-8") as file:
        summary = [json.loads(line) for line in file if '"summary"' in line][-1]
    walks = summary["walks"]
    c.that(walks["n"] == sum(walks["walk_ns"].values()) and walks["ns"] > walks["n"] * 200,
           "the summary has the duration of walks")
    c.that(300 < walks["entry_ps"] < 1000000,
           "the summary has the cost of an entry of the flight recorder")
    exports(c, tmp, dump)


def mounted():
    with open("/proc/self/mounts", encoding="utf-8") as file:
        return any(line.split()[1] == PINNED for line in file)


def unmounted(c, tmp, target):
    """Without a BPF file system at PINNED the recorder mounts one for itself."""
    while mounted():
        subprocess.run(["umount", "-l", PINNED], check=True)
    with recorder(target, tmp, "--flight", "-d", "60", name="u.ndjson") as child:
        pid, dump = str(child.pid), os.path.join(tmp, "u.fr")
        c.that(f"--recorder {pid}" in flight("show").stdout,
               "without a mounted BPF file system: `show` finds the rings")
        c.that("begin" in events(pid), "without a mounted BPF file system: `cat` reads the rings")
        c.that(flight("mask", "bits", "step", "--recorder", pid).returncode == 0 and
               wait_until(lambda: "step" in events(pid)) is None,
               "without a mounted BPF file system: `mask` enables steps")
        c.that(flight("dump", "-o", dump).returncode == 0 and os.path.getsize(dump) > 4096,
               "without a mounted BPF file system: `dump` writes the rings")
        with recorder(target, tmp, "--flight", "-d", "60", name="v.ndjson") as other:
            c.that(flight("cat").returncode == 2 and events(other.pid),
                   "without a mounted BPF file system: `cat` needs --recorder to choose one of "
                   "two recordings")
        c.that(os.listdir(PINNED) == [],
               "without a mounted BPF file system: the recorder leaves no file at the mount point")
        child.send_signal(signal.SIGINT)
        c.that(child.wait(30) == 0, "without a mounted BPF file system: the recording ends "
                                    "normally")
    done = flight("dump", "-o", dump)
    c.that(done.returncode == 1 and "start one with 'unspool record --flight'" in done.stderr,
           f"`dump` without a recording prints how to start a recording: {done.stderr.strip()!r}")


def main():
    need_bpf()
    c = Checks()
    c.that(flight("show", "--recorder", "1").returncode == 1,
           "`show` refuses a pid without a recording")
    c.that(flight().returncode == 2 and flight("dmup").returncode == 2,
           "`flight` refuses a missing or unknown subcommand")
    with folder() as tmp, running([LOST, "nowhere"], wait_for=b"running") as target:
        pinning(c, tmp, target)
        alone(c, tmp, target)
        killed(c, tmp, target)
        frozen(c, tmp)
        foreign(c)
        unmounted(c, tmp, target)
    return c.end()


if __name__ == "__main__":
    if sys.argv[1:] != ["inside"]:
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c", f'mount -t bpf bpf {PINNED} && exec "$@"',
                              "sh", sys.executable, __file__, "inside"])
    sys.exit(main())
