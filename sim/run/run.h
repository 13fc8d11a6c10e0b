/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs cases in engines, one result for a case in an engine.
 *
 *	hand-laid   one walk; right: it found what is written down, and does not
 *	            differ from the native walk by a byte
 *	executed    a walk where the code comes to an instruction for the first time;
 *	            right: not a byte differs from the native walks, and at the deepest
 *	            of these stops the whole call stack was found, at one instruction
 *	            at least. At how many others it is found is a sweep's to judge; here
 *	            it is only told.
 *
 * The native walk is always made, asked for or not.
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
	u64 n_results, n_wrong; /* a case in an engine */
	u64 n_broken; /* cases that could not be loaded or executed */
	u64 n_compared, n_differing; /* bytes */
	char complaint[1024 + SIM_ERROR_LEN]; /* the last about a file */
};

/**
 * sim_run_case() - walk a case in each open engine, report each engine
 *
 * Return: 0 whatever the walks found, or a negative errno.
 */
int sim_run_case(struct sim_runner *r, const struct sim_case *c);

/* The same for an executed case. Its memory changes: it runs once. */
int sim_run_executed(struct sim_runner *r, const struct sim_case *c);

/* A plugin looks at a case, hand-laid or executed; engines do not. */
int sim_run_plugin(struct sim_runner *r, const struct sim_case *c);

/* A case that could not be loaded or executed. Return: 0 or -ENOMEM. */
int sim_run_broken(struct sim_runner *r, const char *name, const struct sim_arch *arch,
		   const char *why);

/* An engine that cannot take a case; its session says why. Return: 0 or -ENOMEM. */
int sim_run_cannot(struct sim_runner *r, const struct sim_case *c,
		   const struct sim_session *session);

/* What became of a case in an engine. */
struct sim_result {
	const struct sim_case *c;
	const char *engine;
	const struct uw_sample *sample; /* the walk to show; NULL: there is none */
	u64 n_walks, n_exact; /* executed: walks, and those that found the whole call stack */
	char wrong[384]; /* empty: right */
};

/* Counts and reports a result. Return: 0 or -ENOMEM. */
int sim_run_report(struct sim_runner *r, const struct sim_result *result);

/* Its line of JSON; the result has a sample. Return: 0 or -ENOMEM. */
int sim_run_json(FILE *to, const struct sim_result *result);

/**
 * sim_run_update() - make what the native walk finds a hand-laid fixture's expectation
 * @path:	rewritten as a whole or not at all; only the values below expect: change
 *
 * Both architectures share the expectation, so both must find the same, in names that
 * mean it on both. What changes is printed.
 *
 * Return: 0, or a negative errno with @error set: the file is as it was.
 */
int sim_run_update(struct sim_runner *r, const char *path, struct sim_error *error);

/**
 * sim_run_update_recorded() - the same for a recorded case, and the note beside it
 *
 * Return: 0, or a negative errno with @error set: -EINVAL when the walk's frames are not the
 * recorded ones, as far as it gets.
 */
int sim_run_update_recorded(struct sim_runner *r, const char *path, struct sim_error *error);
