/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of the guest program. Each prints one line a check and returns how
 * many failed.
 */

/* What has been checked; the last line tells. */
struct tally {
	int passed;
	int failed;
};

static inline void tally_add(struct tally *t, int ok)
{
	if (ok)
		t->passed++;
	else
		t->failed++;
}

/**
 * programs_load() - load every program of a BPF object, one at a time
 * @path:	the object file
 * @t:		counts the programs
 *
 * Prints `OBJECT/PROGRAM verified N insns, load N ms`, or the verifier's last words.
 */
void programs_load(const char *path, struct tally *t);

/**
 * walks_run() - run the conformance program over stacks made in this process
 * @t:		counts the stacks
 *
 * Prints `STACK: N frames, STATUS`.
 */
void walks_run(struct tally *t);
