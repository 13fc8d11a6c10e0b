/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The options that `unspool-sim run` and `sweep` share, and the cases that they are given. */

#include "../case/cases.h"
#include "../engine/engine.h"

#include <argp.h>

struct sim_options {
	bool archs[SIM_N_ARCHS], engines[SIM_N_ENGINES]; /* which are wanted */
	const char *json, *junit; /* NULL: none; "-": standard output */
	const char *plugin; /* NULL: none */
	u32 plugin_timeout_s;
	bool is_foreign; /* the engine of a foreign header, and no other */
	u32 shard, n_shards; /* counted from 0 */
	double fail_under; /* percent */
	bool is_update, is_quiet;
	struct sim_paths paths;
};

/* A command's parser has it as a child whose input is a struct sim_options. */
extern const struct argp sim_options_argp;

/* Somebody else's unwinder is to be judged, not the engines. */
static inline bool sim_is_strange(const struct sim_options *o)
{
	return o->plugin || o->is_foreign;
}

/**
 * sim_options_init() - what holds when nothing is said
 * @out:	ends with sim_options_deinit()
 */
void sim_options_init(struct sim_options *out);
void sim_options_deinit(struct sim_options *o);

/* A decimal number up to 1000000 that is all of @text; false: it is none. */
bool sim_parse_u32(const char *text, u32 *out);

/**
 * sim_options_each() - go through the cases of this shard, each on each architecture
 * @fn:		gets each pair, also one of which the case says nothing; non-zero ends it
 *
 * Return: 0 or what @fn returned.
 */
int sim_options_each(const struct sim_options *o,
		     int (*fn)(void *ctx, const char *path, const struct sim_arch *arch),
		     void *ctx);
