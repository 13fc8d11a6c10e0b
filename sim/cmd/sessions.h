/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The engines that a command was asked for, made ready for the architectures. */

#include "../case/cases.h"
#include "../engine/engine.h"

struct sim_sessions {
	struct sim_session *at[SIM_N_ARCHS][SIM_N_ENGINES]; /* NULL: not asked for, or not here */
	char cannot[256]; /* the first engine that could not run, and why; empty: none */
};

/**
 * sim_sessions_open() - open the engines that are wanted, and the native one
 * @out:	ends with sim_sessions_close(), also after an error
 *
 * An engine that cannot run here is no error: it is noted, and left out.
 *
 * Return: 0, or a negative errno after a complaint.
 */
int sim_sessions_open(const bool archs[SIM_N_ARCHS], const bool engines[SIM_N_ENGINES],
		      struct sim_sessions *out);
void sim_sessions_close(struct sim_sessions *s);

/* The sessions of one architecture, by engine. */
struct sim_session *const *sim_sessions_of(const struct sim_sessions *s,
					   const struct sim_arch *arch);

/* Notes that an engine cannot run: @where is "here", or a case. */
void sim_sessions_cannot(struct sim_sessions *s, const char *engine, const char *where,
			 const char *why);
