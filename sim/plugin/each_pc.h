/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Asks a plugin about each pc of a case: its part of a sweep. */

#include "../sweep/judge.h"
#include "plugin.h"

/* What it said of the deepest stack that it was asked about. */
struct plugin_shown {
	u32 depth; /* of the true stack; 0: it said nothing */
	struct plugin_answer answer;
};

/**
 * plugin_each_pc() - ask a plugin about each pc that a case comes to, and judge it
 * @c:		it is used up; a hand-laid case is one stop
 * @every:	ask at the first pc and each that many new ones after it; 0 is 1
 * @shown:	NULL is fine
 * @out:	ends with sweep_result_deinit(); a boundary is a stop that was asked about,
 *		misses are wrong answers
 * @error:	why the case or the plugin could not go on
 *
 * A plugin that gives no answer many times in a row is given up.
 *
 * Return: 0 however wrong it is, or a negative errno with @error set.
 */
int plugin_each_pc(struct sim_plugin *p, const struct sim_case *c, u32 every,
		   struct plugin_shown *shown, struct sweep_result *out, struct sim_error *error);
