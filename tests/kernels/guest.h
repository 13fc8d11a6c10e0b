/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of the guest program. Each part prints one line per check and
 * counts its checks in @t.
 */

/* Counts of checks, for the last line. */
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
 * programs_load() - load every program of a BPF object
 * @path:	the object file
 * @t:		counts the programs
 *
 * Prints `OBJECT/PROGRAM verified N insns`, or the verifier's log.
 */
void programs_load(const char *path, struct tally *t);

/**
 * walks_run() - run the conformance program over stacks made in this process
 * @t:		counts the stacks
 */
void walks_run(struct tally *t);

/**
 * samples_run() - run the production program over the stacks of walks_run(), on page faults
 * @t:		counts the stacks
 */
void samples_run(struct tally *t);

/**
 * cases_run() - replay walks of the simulator's cases with both BPF programs
 * @path:	a pack (pack.h)
 * @t:		counts the walks
 */
void cases_run(const char *path, struct tally *t);

struct stack_case;
struct uw_sample;

/**
 * guest_say() - count a stack, and print `PROGRAM STACK: ok|FAILED: WHY (FIGURES)`
 * @differs:	the result of stacks_compare(); for a WRONG_TRUTH case it must not be NULL
 */
void guest_say(struct tally *t, const char *program, const struct stack_case *c,
	       const char *differs, const struct uw_sample *sample);
