/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The options that `unspool-sim run` and `sweep` share, and the cases to which they apply. */

#include "../case/cases.h"
#include "../engine/engine_list.h"

#include <argp.h>

struct sim_options {
	bool archs[SIM_N_ARCHS], engines[SIM_N_ENGINES]; /* which are selected */
	const char *json, *junit; /* NULL: none; "-": standard output */
	const char *plugin; /* NULL: none */
	u32 plugin_timeout_s;
	bool is_foreign; /* use no engine except that of the foreign header */
	u32 shard, n_shards; /* zero-based */
	double fail_under; /* percent */
	bool is_update, is_quiet;
	bool has_all_stacks; /* the argument stack:all was given */
	u32 groups; /* --groups, as for sim_paths_add_groups(); 0: not given */
	struct sim_paths paths;
};

/*
 * The parser of these options. The parser of a command includes this parser as a child; the input
 * of the child is a struct sim_options.
 */
extern const struct argp sim_options_argp;

/* Returns whether an external unwinder is tested instead of the engines. */
static inline bool sim_is_strange(const struct sim_options *o)
{
	return o->plugin || o->is_foreign;
}

/**
 * sim_options_init() - set the defaults
 * @out:	freed by sim_options_deinit()
 */
void sim_options_init(struct sim_options *out);
void sim_options_deinit(struct sim_options *o);

/* Parses @text as a decimal number up to 1000000; false: invalid. */
bool sim_parse_u32(const char *text, u32 *out);

/**
 * sim_options_each() - call @fn for the cases of this shard, on each architecture
 * @fn:		called for each pair of a case and an architecture, even if the case is not for that
 *		architecture; a nonzero result ends the loop
 *
 * Return: 0 or the result of @fn.
 */
int sim_options_each(const struct sim_options *o,
		     int (*fn)(void *ctx, const char *path, const struct sim_arch *arch),
		     void *ctx);
