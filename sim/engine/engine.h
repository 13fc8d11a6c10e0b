/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Engines: worlds that execute the same core over the same target. What a walk
 * finds and what it reads must be the same in all of them, byte for byte.
 *
 *	native   the host's compiler; in this process
 *	guest    compiled freestanding for the architecture, executed by Unicorn
 *	kernel   the BPF object, by BPF_PROG_TEST_RUN in a process of its own
 *
 * A session is one engine made ready for one architecture; it walks any number
 * of targets, one at a time.
 */

#include "../case/target.h"

/* A walk of UW_MAX_FRAMES frames reads less than this. */
#define SIM_MAX_READS 8192

/* What a walk found: state.sample, and its reads in order. */
struct sim_walk {
	struct uw_state state; /* only the sample's result fields and frames are the engine's */
	struct sim_read_log log; /* points into reads */
	struct sim_read reads[SIM_MAX_READS];
};

/* An engine's own session embeds it as its first member. */
struct sim_session {
	const struct sim_engine *engine;
	const struct sim_arch *arch;
	char why[160]; /* after an error: what is wrong, for people */
};

/*
 * open() and walk() return 0 or a negative errno. -EOPNOTSUPP is no fault: the engine,
 * or this target in it, cannot run here. A session exists after a failed open()
 * unless there was no memory for it; it only tells why.
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

/* Native first: it is what the others are compared with. */
#define SIM_N_ENGINES 3
extern const struct sim_engine *const sim_engines[SIM_N_ENGINES];

/**
 * sim_engine_find() - the engine of this name, or NULL
 */
const struct sim_engine *sim_engine_find(const char *name);

/**
 * sim_session_open() - make an engine ready
 * @out:	the caller's, ends with sim_session_close(); set after a failure, too,
 *		unless there is no memory
 *
 * Return: 0 or a negative errno, -EOPNOTSUPP when the engine cannot run here.
 */
int sim_session_open(const struct sim_engine *engine, const struct sim_arch *arch,
		     struct sim_session **out);

/**
 * sim_session_walk() - walk @target
 * @target:	a fault to be injected, and the log, are those of its memory: the log is
 *		set aside during the walk
 * @out:	large; reuse it
 *
 * Tables that no engine can have (extent outside of the pool) are refused here.
 *
 * Return: 0 or a negative errno: -EOPNOTSUPP when this engine cannot take the target
 * here, -ENODATA when the walk read what the memory does not know (@out is no result).
 */
int sim_session_walk(struct sim_session *session, const struct sim_target *target,
		     struct sim_walk *out);

/**
 * sim_session_close() - NULL is fine
 */
void sim_session_close(struct sim_session **session);
