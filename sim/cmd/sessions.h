/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The sessions of the requested engines, for the requested architectures. */

#include "../case/cases.h"
#include "../engine/engine_list.h"

struct sim_sessions {
	/* NULL: the engine was not requested, or can't run here */
	struct sim_session *at[SIM_N_ARCHS][SIM_N_ENGINES];
	char cannot[256]; /* the first engine that could not run, and the reason; empty: all engines
			   * can run */
};

/**
 * sim_sessions_open() - open the requested engines and the native one
 * @out:	closed by sim_sessions_close(), also after an error
 *
 * It is not an error if an engine cannot run here: the engine is recorded in @out and skipped.
 *
 * Return: 0, or a negative errno after a message.
 */
int sim_sessions_open(const bool archs[SIM_N_ARCHS], const bool engines[SIM_N_ENGINES],
		      struct sim_sessions *out);
void sim_sessions_close(struct sim_sessions *s);

/* The sessions of one architecture, indexed by engine. */
struct sim_session *const *sim_sessions_of(const struct sim_sessions *s,
					   const struct sim_arch *arch);

/* Records that an engine cannot run; @where is "here", or a case's name. */
void sim_sessions_cannot(struct sim_sessions *s, const char *engine, const char *where,
			 const char *why);
