/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs cases in engines, with one result for each case in each engine.
 *
 *	hand-laid   one walk; passes if it gives the expected frames and no byte differs
 *	            from the native walk
 *	executed    a walk at the first arrival at each instruction; passes if no byte
 *	            differs from the native walks, and if the whole call stack was found
 *	            at one of the deepest stops at least. The number of instructions at which
 *	            the whole call stack was found is only printed; to check all instructions,
 *	            use a sweep.
 *
 * The native walk is always made, even if not requested.
 */

#include "../cmd/outputs.h"
#include "../cmd/sessions.h"
#include "../cmd/strangers.h"
#include "../engine/compare.h"

struct sim_runner {
	const struct sim_options *options;
	struct sim_sessions sessions;
	struct sim_strangers strangers;
	struct sim_outputs out;
	struct sim_walk *native, *other;
	u64 n_cases, n_walks;
	u64 n_results, n_wrong; /* number of results, and of wrong results; a result is for a pair
				 * of a case and an engine */
	u64 n_broken; /* number of cases that could not be loaded or executed */
	u64 n_compared, n_differing; /* bytes */
	char complaint[1024 + SIM_ERROR_LEN]; /* the error message about a file that was printed
					       * last */
};

/**
 * sim_run_case() - walk a case in each open engine, and report the results
 *
 * Return: 0, also if results are wrong; or a negative errno.
 */
int sim_run_case(struct sim_runner *r, const struct sim_case *c);

/*
 * Same as sim_run_case(), but for an executed case. A run changes the memory of the case, so the
 * case can run only once.
 */
int sim_run_executed(struct sim_runner *r, const struct sim_case *c);

/* Runs a hand-laid or executed case with the plug-in instead of engines. */
int sim_run_plugin(struct sim_runner *r, const struct sim_case *c);

/* Reports a case that could not be loaded or executed. Return: 0 or -ENOMEM. */
int sim_run_broken(struct sim_runner *r, const char *name, const struct sim_arch *arch,
		   const char *why);

/* Reports that an engine cannot walk a case; @session has the reason. Return: 0 or -ENOMEM. */
int sim_run_cannot(struct sim_runner *r, const struct sim_case *c,
		   const struct sim_session *session);

/* The result of a case in an engine. */
struct sim_result {
	const struct sim_case *c;
	const char *engine;
	const struct uw_sample *sample; /* the walk to print; NULL: none */
	u64 n_walks, n_exact; /* executed: number of walks, and number of walks that found the whole
			       * call stack */
	char wrong[384]; /* empty: passed */
};

/* Counts a result and reports it. Return: 0 or -ENOMEM. */
int sim_run_report(struct sim_runner *r, const struct sim_result *result);

/* Prints a result that has a sample as a line of JSON. Return: 0 or -ENOMEM. */
int sim_run_json(FILE *to, const struct sim_result *result);

/**
 * sim_run_update() - make the native walk the expectation of a hand-laid fixture
 * @path:	the fixture, rewritten completely or not at all; only the values below expect:
 *		change
 *
 * Both architectures share the expectation, so both walks must give the same frames, with names
 * that are valid on both. Prints the changes.
 *
 * Return: 0, or a negative errno with @error set, in which case the file is unchanged.
 */
int sim_run_update(struct sim_runner *r, const char *path, struct sim_error *error);

/**
 * sim_run_update_recorded() - make the native walk the expectation of a recorded case
 *
 * Return: 0, or a negative errno with @error set: -EINVAL if a frame of the walk differs from the
 *         recorded frame.
 */
int sim_run_update_recorded(struct sim_runner *r, const char *path, struct sim_error *error);
