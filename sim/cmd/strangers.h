/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Other people's unwinders, as a command was asked for them. */

#include "../foreign/foreign.h"
#include "../plugin/plugin.h"
#include "options.h"
#include "sessions.h"

struct sim_strangers {
	struct sim_plugin *plugin; /* NULL: not asked for */
	struct sim_session *foreign[SIM_N_ARCHS]; /* NULL: not asked for, or not here */
};

/**
 * sim_strangers_open() - make ready what is wanted, before any work is done
 * @sessions:	where it is noted that there is no foreign header
 * @out:	ends with sim_strangers_close(), also after an error
 *
 * Return: CLI_OK, or what to exit with after a complaint.
 */
int sim_strangers_open(const struct sim_options *o, struct sim_sessions *sessions,
		       struct sim_strangers *out);

/* 0, or a negative errno after a complaint: something is left behind. */
int sim_strangers_close(struct sim_strangers *s);
