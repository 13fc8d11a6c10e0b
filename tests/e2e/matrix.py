#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""matrix.py [OPTION]... VERSION...: measures how exact the stacks of Node.js are, for each cell of
the support matrix.

A cell is a version of Node.js, a mode and a program. The source of a program defines the stacks
that are possible (nesting.py). All samples of the program's threads count, including those in
prologues, epilogues and builtins, except for those that tally.py leaves out:

  names     % of the samples whose frames are exactly those of a possible stack
  lines     % of the samples in which each line and each call's column is exact, too; "+"
            where V8 itself has no line (limits.py)
  complete  % of the process's samples whose stack is complete and begins where it must
  counted   % of the processes' CPU time that has a sample or is counted as lost

  -m, -p NAME[,NAME]  these modes, programs   -n SAMPLES  at least so many a cell
  -v                  print what was not exact

The cells are figures of ci/qualify (results.py).
"""

import argparse
import contextlib
import os
import sys
import time

import limits
import results
from bundle import Bundle
from cpu_time import CpuTime
from known_source import threads
from lib import TOP, Checks, folder, need_bpf, node, record, running
from nesting import Judge
from tally import GOALS, Figures, Tally

KNOWN = os.path.join(TOP, "fixtures/node/known")
MOST_SECONDS = 60
RECORDER_NICE = -10  # so that the recorder gets a CPU at once, as on a machine with idle time

PROGRAMS = {  # files of KNOWN
    "nesting": ["calls", "mutual", "deep", "shapes", "closures", "callbacks", "waits"],
    "osr": ["osr"],
    "inlining": ["calls", "mutual"],
    "classes": ["shapes", "closures"],
    "async": ["waits"],
    "eval": ["evals"],
    "wasm": ["wasm"],
    "workers": ["threads"],
    "callbacks": ["callbacks"],
    "two-byte": ["wide"],
    "bundle": ["calls", "shapes", "closures", "callbacks"],  # in one line
}


def modes(major):
    """Returns {name: (flags, iterations of a leaf's loop)} for the modes of a major version."""
    no_maglev = ["--no-maglev"] if major >= 20 else []
    found = {"default": ([], 20000), "jitless": (["--jitless"], 16000)}
    if major >= 16:
        found["sparkplug"] = ["--always-sparkplug", "--no-opt", *no_maglev], 64000
    if major >= 23:
        found["maglev"] = ["--no-turbofan"], 20000
    found["native-stack"] = ["--interpreted-frames-native-stack"], 20000
    return found


def can_run(mode, program):
    return not (mode == "jitless" and program == "wasm")


def judges_of(names):
    """Returns a Judge for each kind of thread, which accepts only the programs that such a thread
    may run."""
    groups = threads(os.path.join(KNOWN, "threads.js")) if "threads" in names else [names]
    return [Judge(KNOWN, names=group) for group in groups]


def start(stack, tmp, version, mode, program):
    """Starts a program, which is killed when the ExitStack @stack closes; returns (process,
    judges)."""
    flags, work = modes(int(version.split(".")[0]))[mode]
    names, bundles = PROGRAMS[program], []
    judges = judges_of(names)
    if program == "bundle":
        bundles = [Bundle(os.path.join(tmp, "bundle.js"), KNOWN, names)]
        judges = [Judge(KNOWN, bundles, names)]
        names = [bundles[0].path]
    argv = ["nice", "-n", str(-RECORDER_NICE), node(version), *flags, os.path.join(KNOWN, "run.js"), str(work), *names]
    return stack.enter_context(running(argv, b"running")), judges


def measure(check, version, mode, programs, seconds, has_limit):
    """Returns {program: Tally} of one recording. All programs run at once, so that unspool starts
    only once."""
    with folder() as tmp, contextlib.ExitStack() as stack:
        started = {name: start(stack, tmp, version, mode, name) for name in programs}
        time.sleep(2)
        pids = [child.pid for child, _ in started.values()]
        with CpuTime(pids) as cpu:
            profile = record("-p", ",".join(map(str, pids)), "-d", f"{seconds}s",
                             out=os.path.join(tmp, "p.ndjson"), timeout=seconds + 300)[1]
        if not profile:
            return {}
        found = {name: Tally(judges, profile, child.pid, has_limit)
                 for name, (child, judges) in started.items()}
        judge_count(check, f"{version} {mode}", found, profile, cpu)
        return found


def judge_count(check, label, found, profile, cpu):
    """Checks that samples, counted losses included, cover the CPU time of the processes."""
    expected = cpu.samples(profile)
    counted = Figures(found.values(), profile, expected).percent["counted"]
    goal = cpu.goal(GOALS["counted"], expected)
    check.that(counted >= goal, f"{label}: {goal:.2f} % of the expected {expected:.0f} samples are"
               f" recorded or counted as lost: {counted:.2f} %")


def tallies(check, version, mode, programs, least, has_limit):
    """Measures all cells, and then again those with too few samples."""
    found = measure(check, version, mode, programs, 2 * len(programs) + 1, has_limit)
    for _ in range(3):
        short = [name for name in programs if name not in found or found[name].n < least]
        if short:
            found.update(measure(check, version, mode, short, min(MOST_SECONDS, 5 * len(short) + 2),
                                 has_limit))
    return found


def run_mode(check, args, version, mode, answer):
    programs = [name for name in args.programs or PROGRAMS if can_run(mode, name)]
    has_limit = bool(answer and answer.has_no_lines)
    found = tallies(check, version, mode, programs, args.samples, has_limit)
    for program in programs:
        tally, label = found.get(program), f"{version} {mode} {program}"
        if not check.that(tally and tally.n >= args.samples,
                          f"{label}: there are at least {args.samples} samples: "
                          f"{tally.n if tally else 0}",
                          quiet=True):
            continue
        cell = tally.cell()
        check.that(cell.good,
                   f"{label}: the cell reaches its goals with {cell} of {tally.n} samples")
        if args.verbose and tally.incomplete:
            print(f"    reasons of incomplete stacks: {dict(tally.incomplete)}")
        for miss, count in tally.misses.most_common(args.verbose * 12):
            print(f"    {count} {miss}")
        cell.add(version, mode, program)


def main():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-m", dest="modes", type=words)
    parser.add_argument("-p", dest="programs", type=words)
    parser.add_argument("-n", dest="samples", type=int, default=2000)
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("versions", nargs="+")
    args = parser.parse_args()
    unknown = set(args.programs or ()) - set(PROGRAMS) | set(args.modes or ()) - set(modes(99))
    if unknown:
        parser.error(f"unknown mode or program: {', '.join(unknown)}; the modes are"
                     f" {', '.join(modes(99))}, the programs {', '.join(PROGRAMS)}")
    need_bpf()
    os.nice(RECORDER_NICE)
    check = Checks()
    print("goals: " + ", ".join(f"{name} {goal} %" for name, goal in GOALS.items()))
    answers = {v: limits.ask(node(v)) for v in args.versions
               if int(v.split(".")[0]) >= limits.FIRST_MAJOR}
    for version, answer in answers.items():
        print(f"{version}: V8 itself: {answer}")
        results.add(key=[version, "note"], note=str(answer))
    for mode in args.modes or modes(99):
        for version in args.versions:
            if mode in modes(int(version.split(".")[0])):
                run_mode(check, args, version, mode, answers.get(version))
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
