/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The external unwinders that a command tests. */

#include "../foreign/foreign.h"
#include "../plugin/plugin.h"
#include "options.h"
#include "sessions.h"

struct sim_strangers {
	struct sim_plugin *plugin; /* NULL: not requested */
	struct sim_session *foreign[SIM_N_ARCHS]; /* NULL: it was not requested, or this build has
						   * none */
};

/**
 * sim_strangers_open() - open the requested unwinders, before any work is done
 * @sessions:	the sessions, in which a missing foreign header is recorded
 * @out:	closed by sim_strangers_close(), also after an error
 *
 * Return: CLI_OK, or the exit status after a message.
 */
int sim_strangers_open(const struct sim_options *o, struct sim_sessions *sessions,
		       struct sim_strangers *out);

/*
 * Closes them. Return: 0, or a negative errno after a message if a temporary folder could not be
 * removed.
 */
int sim_strangers_close(struct sim_strangers *s);
