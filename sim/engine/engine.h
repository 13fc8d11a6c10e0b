/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Engines: environments that execute the same core on the same target. The frames and the
 * reads of a walk must be the same in all of them, byte for byte.
 *
 *	native   compiled for the host, in this process
 *	guest    compiled freestanding for the architecture, executed by Unicorn
 *	kernel   the BPF object, run by BPF_PROG_TEST_RUN in a separate process
 *
 * A session is one engine prepared for one architecture. It walks any number of targets, one
 * at a time.
 */

#include "../case/target.h"

/* A walk of UW_MAX_FRAMES frames reads less than this. */
#define SIM_MAX_READS 8192

/* Result of a walk: state.sample, and its reads in order. */
struct sim_walk {
	struct uw_state state; /* engines set only the result fields and frames of the sample */
	struct sim_read_log log; /* points into the array reads */
	struct sim_read reads[SIM_MAX_READS];
};

/* First member of an engine's own session. */
struct sim_session {
	const struct sim_engine *engine;
	const struct sim_arch *arch;
	char why[160]; /* error message after a failure */
};

/*
 * open() and walk() return 0 or a negative errno. -EOPNOTSUPP is not a failure: the engine cannot
 * run on this machine, or cannot walk this target. A failed open() also makes a session, unless it
 * runs out of memory; that session only holds the message.
 */
struct sim_engine {
	const char *name;
	int (*open)(const struct sim_arch *arch, struct sim_session **out);
	int (*walk)(struct sim_session *session, const struct sim_target *target,
		    struct sim_walk *out);
	void (*close)(struct sim_session *session);
};

extern const struct sim_engine sim_engine_native;
extern const struct sim_engine sim_engine_guest;
extern const struct sim_engine sim_engine_kernel;

/* The native engine is first: the others are compared with it. */
#define SIM_N_ENGINES 3
extern const struct sim_engine *const sim_engines[SIM_N_ENGINES];

/**
 * sim_engine_find() - the engine of this name, or NULL
 */
const struct sim_engine *sim_engine_find(const char *name);

/**
 * sim_session_open() - prepare an engine
 * @out:	owned by the caller, freed by sim_session_close(); also set after a failure,
 *		unless memory was short
 *
 * Return: 0 or a negative errno, -EOPNOTSUPP if the engine cannot run here.
 */
int sim_session_open(const struct sim_engine *engine, const struct sim_arch *arch,
		     struct sim_session **out);

/**
 * sim_session_walk() - walk @target
 * @target:	its memory may have an injected fault and a log; the log is detached during
 *		the walk
 * @out:	large, so reuse it
 *
 * Refuses invalid tables (an extent outside of the pool).
 *
 * Return: 0 or a negative errno: -EOPNOTSUPP if this engine cannot walk the target here,
 * -ENODATA if the walk read memory that the case does not contain (@out is invalid).
 */
int sim_session_walk(struct sim_session *session, const struct sim_target *target,
		     struct sim_walk *out);

/**
 * sim_session_close() - NULL is fine
 */
void sim_session_close(struct sim_session **session);
