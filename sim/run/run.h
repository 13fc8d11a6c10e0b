/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs cases in engines. A case is right in an engine when the walk found its
 * truth; engines agree when nothing differs from the native walk, which is always
 * made, asked for or not.
 */

#include "../case.h"
#include "../engine/engine.h"

#include <stdio.h>

#define SIM_N_ARCHS 2
extern const struct sim_arch *const sim_archs[SIM_N_ARCHS];

struct sim_runner {
	struct sim_session
		*sessions[SIM_N_ARCHS][SIM_N_ENGINES]; /* NULL: not asked for, or not here */
	bool is_wanted[SIM_N_ENGINES];
	bool is_quiet; /* only what is wrong */
	FILE *json; /* NULL: none; borrowed */
	struct sim_walk *native, *other;
	u64 n_cases, n_walks;
	u64 n_wrong; /* walks that missed the truth, differed, or failed */
	u64 n_compared, n_differing; /* bytes */
	char cannot[256]; /* the first engine that could not run, and why; empty: none */
};

/**
 * sim_runner_init() - make ready for nothing
 * @out:	ends with sim_runner_deinit()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_runner_init(struct sim_runner *out);
void sim_runner_deinit(struct sim_runner *r);

/**
 * sim_runner_open() - open the engines that are wanted, for one architecture
 *
 * An engine that cannot run here is no error: it is noted, and left out.
 *
 * Return: 0 or a negative errno, said on stderr.
 */
int sim_runner_open(struct sim_runner *r, const struct sim_arch *arch);

/**
 * sim_run_case() - walk a case in each open engine, report each engine
 *
 * A hand-laid case is walked once and compared with its truth. An executed one is
 * walked at each of its instructions, the first time that it comes there, and its
 * engines are compared; how near they come to the truth is what a sweep tells.
 *
 * Return: 0 whatever the walks found, or a negative errno (also of a broken case,
 * which is reported).
 */
int sim_run_case(struct sim_runner *r, const struct sim_case *c);

/* The same for an executed case. Its memory changes: it runs once. */
int sim_run_executed(struct sim_runner *r, const struct sim_case *c,
		     struct sim_session *const sessions[SIM_N_ENGINES]);

/* An engine that cannot run, here or a case. */
void sim_run_cannot(struct sim_runner *r, const char *engine, const char *where, const char *why);

/**
 * sim_run_json() - one line of `run --json`
 * @equal:	the walk found the truth and did not differ from the native one
 *
 * Return: 0 or a negative errno.
 */
int sim_run_json(FILE *to, const struct sim_case *c, const char *engine,
		 const struct uw_sample *sample, bool equal);

/**
 * sim_bundled_each() - the bundled stacks as cases
 * @name:	which, or "all"
 * @fn:		gets each case, which is gone when it returns; its errors end the loop
 * @n:		incremented for each
 *
 * Return: 0 or a negative errno.
 */
int sim_bundled_each(const char *name, const struct sim_arch *arch,
		     int (*fn)(struct sim_runner *r, const struct sim_case *c),
		     struct sim_runner *r, u32 *n);
