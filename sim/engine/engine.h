/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Engines: environments that execute the same core on the same target. The frames and the
 * reads of a walk must be the same in all engines, byte for byte.
 *
 *	native   compiled for the host, in this process
 *	guest    compiled freestanding for the architecture, executed by Unicorn
 *	kernel   the BPF object, run by BPF_PROG_TEST_RUN in a separate process
 *
 * engine_list.h lists the engines.
 *
 * A session is an engine prepared for an architecture. A session can walk any number of targets,
 * one at a time.
 */

#include "../case/target.h"

/* Maximum number of reads; a walk of UW_MAX_FRAMES frames makes fewer. */
#define SIM_MAX_READS 8192

/* Result of a walk: state.sample, and the reads in order. */
struct sim_walk {
	struct uw_state state; /* of the sample, engines set only the fields with the result and the
				* frames */
	struct sim_read_log log; /* refers to the array reads */
	struct sim_read reads[SIM_MAX_READS];
};

/* The common part of a session, which is the first member of each engine's own struct. */
struct sim_session {
	const struct sim_engine *engine;
	const struct sim_arch *arch;
	char why[160]; /* error message after a failure */
};

/*
 * open() and walk() return 0 or a negative errno. -EOPNOTSUPP is not a failure: the engine cannot
 * run on this machine, or cannot walk this target. Even if open() fails, it makes a session, which
 * then only contains the error message; only if memory is exhausted, it makes none.
 */
struct sim_engine {
	const char *name;
	int (*open)(const struct sim_arch *arch, struct sim_session **out);
	int (*walk)(struct sim_session *session, const struct sim_target *target,
		    struct sim_walk *out);
	void (*close)(struct sim_session *session);
};

extern const struct sim_engine sim_engine_native;

/**
 * sim_session_open() - prepare an engine
 * @out:	owned by the caller, freed by sim_session_close(); set even on failure, except for
 *		-ENOMEM
 *
 * Return: 0 or a negative errno, -EOPNOTSUPP if the engine cannot run here.
 */
int sim_session_open(const struct sim_engine *engine, const struct sim_arch *arch,
		     struct sim_session **out);

/**
 * sim_session_walk() - walk @target
 * @target:	an injected fault and a log may be set in its memory; the log is detached during the
 *		walk
 * @out:	large, so reuse it
 *
 * Fails if the tables are invalid (an extent outside of the pool).
 *
 * Return: 0 or a negative errno: -EOPNOTSUPP if this engine cannot walk the target here,
 * -ENODATA if the walk read memory that the case does not contain (@out is invalid).
 */
int sim_session_walk(struct sim_session *session, const struct sim_target *target,
		     struct sim_walk *out);

/**
 * sim_session_close() - free a session; NULL is allowed
 */
void sim_session_close(struct sim_session **session);
