# SPDX-License-Identifier: BSD-2-Clause
"""The commands to test with injected faults, and their inputs."""

import contextlib
import json
import os
import subprocess
import xml.etree.ElementTree

from trial import Command

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
FIXTURES = os.path.join(TOP, "fixtures")
LAID = os.path.join(FIXTURES, "synthetic/laid/function-good.yaml")
CALLS = os.path.join(FIXTURES, "synthetic/node24-calls.yaml")
NATIVE = os.path.join(FIXTURES, "recorded/native/any/x86_64/body.core.zst")
NODE = os.path.join(FIXTURES, "recorded/node/24.21.0/x86_64/interpreted-leaf.core.zst")


def tool(name):
    return os.environ.get("UNSPOOL_" + name.upper(), name.replace("_", "-"))


SIM, UNSPOOL = tool("sim"), tool("unspool")


def faulty(how, folder):
    source = os.path.join(folder, "source")
    with open(source, "w", encoding="ascii") as file:
        file.write("a line\n" * 100)
    return Command(how, [tool("faulty"), how, source, "{out}/copy"], files=["copy"],
                   limit_s=2 if how == "hang" else 60)


def is_json(path):
    with open(path, encoding="utf-8") as file:
        try:
            return None if [json.loads(line) for line in file] else "it is empty"
        except ValueError as wrong:
            return wrong


def is_xml(path):
    try:
        xml.etree.ElementTree.parse(path)
    except xml.etree.ElementTree.ParseError as wrong:
        return wrong
    return None


def of_cases(folder):
    case, profile = (os.path.join(folder, name) for name in ("a.core", "p.ndjson"))
    for path, argv in (case, ["zstd", "-dcq", NATIVE]), (profile, [tool("make_profile")]):
        with open(path, "wb") as file:
            subprocess.run(argv, stdout=file, check=True)
    # The --help of subcommands is left out: when memory is short, argp_help() of glibc 2.36 omits
    # text or fails an assertion.
    for argv in [SIM, "--help"], [SIM, "run", "-V"], [UNSPOOL, "--help"], [UNSPOOL, "ps", "-V"]:
        yield Command(" ".join([os.path.basename(argv[0]), *argv[1:]]), argv)
    yield Command("run a case", [SIM, "run", "--json", "{out}/json", case],
                  files=["json"], valid=is_json)
    yield Command("run a compressed case", [SIM, "run", NODE])
    yield Command("run a fixture", [SIM, "run", "--engine", "guest", "--junit", "{out}/xml", LAID],
                  files=["xml"], valid=is_xml)
    yield Command("sweep a fixture", [SIM, "sweep", "--fail-under", "0", "--every", "50",
                                      "--arch", "x86_64", CALLS])
    yield Command("show a case", [SIM, "show", case])
    yield Command("show a fixture", [SIM, "show", LAID])
    yield Command("explain a case", [SIM, "explain", NODE], answers=gives_reasons)
    yield Command("add a case", [SIM, "add", "-C", "{out}", NATIVE],
                  files=[f"recorded/native/any/x86_64/body.{x}" for x in ("core.zst", "json")])
    yield Command("report", [UNSPOOL, "report", profile])
    yield Command("report as JSON", [UNSPOOL, "report", "--json", profile])
    for suffix in ("ndjson.zst", "ndjson.gz", "folded"):
        yield Command(f"convert to {suffix}", [UNSPOOL, "convert", "-q", profile, "{out}/o." + suffix],
                      files=["o." + suffix])


def is_profile(path):
    done = subprocess.run([UNSPOOL, "report", path], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def gives_reasons(got, want):
    """Returns an error if `explain` prints less than without a fault, but no reason for it."""
    got, want = got.splitlines(), want.splitlines()
    if len(got) != len(want):
        return "its output has another number of lines"
    wrong = [line for line, full in zip(got, want)
             if line != full and not line.endswith(b"can't be read")]
    return f"its output differs: {wrong[:3]}" if wrong else None


def is_case(path):
    done = subprocess.run([SIM, "show", path], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def rows(output):
    return [json.loads(line) for line in output.splitlines()]


def has_the_checks(got, want):
    """Returns an error if the output lacks a check. The result of a check may differ from the
    result without a fault."""
    missing = [row["check"] for row in rows(want)
               if row["check"] not in (r["check"] for r in rows(got))]
    return f"its output does not contain the checks {missing}" if missing else None


def has_the_processes(got, want):
    """Returns an error if a process is not listed or has wrong data. Data of an unreadable process
    may be missing."""
    got, want = rows(got), rows(want)
    if [row["pid"] for row in got] != [row["pid"] for row in want]:
        return f"it prints {got} instead of {want}"
    for row, full in zip(got, want):
        if (row["name"] != full["name"] or row["exe"] not in ("", full["exe"])
                or row["runtime"] not in ("?", full["runtime"])):
            return f"it prints {row} instead of {full}"
    return None


PATH = r"^/\S*/r\.ndjson"  # the last line on stderr is the path of the profile

# A file that can't be written is reported as a usage error.
UNWRITABLE = ["exits with the undocumented status 2.*choose another file"]
# In a PID namespace there are few processes, and the same in each run.
ALONE = ["unshare", "--pid", "--fork", "--mount-proc"]


def of_live(busy):
    def runs():
        with open(f"/proc/{busy.pid}/stat", encoding="ascii") as file:
            state = file.read().rpartition(")")[2].split()[0]
        return None if state in "RS" else f"the target does not run but is in state {state}"

    pid = str(busy.pid)
    yield Command("doctor", [UNSPOOL, "doctor", "--json"], answers=has_the_checks)
    yield Command("ps", [UNSPOOL, "ps", "--all", "--json"], within=ALONE,
                  answers=has_the_processes)
    yield Command("capture", [UNSPOOL, "capture", "-p", pid, "-F", "499", "-d", "2",
                              "-o", "{out}/x.core.zst"], files=["x.core.zst"], valid=is_case,
                  answers=lambda got, want: None, said=PATH, known=UNWRITABLE, is_fine=runs)
    for suffix in ("ndjson", "ndjson.zst"):
        yield Command(f"record {suffix}", [UNSPOOL, "record", "-q", "-p", pid, "-F", "499",
                                           "-d", "0.5", "-o", "{out}/r." + suffix],
                      files=["r." + suffix], valid=is_profile, answers=lambda got, want: None,
                      said=PATH, known=UNWRITABLE, is_fine=runs)
    yield Command("record a command", [UNSPOOL, "record", "-q", "-F", "499",
                                       "-o", "{out}/r.ndjson", "--", tool("busy"), "100"],
                  files=["r.ndjson"], valid=is_profile, answers=lambda got, want: None,
                  said=PATH, known=UNWRITABLE, statuses=(1, 3, 125))


@contextlib.contextmanager
def made(folder, is_live):
    if not is_live:
        yield of_cases(folder)
        return
    with subprocess.Popen([tool("busy"), "-1", "700"], stdout=subprocess.PIPE) as busy:
        try:
            busy.stdout.readline()
            yield of_live(busy)
        finally:
            busy.kill()
