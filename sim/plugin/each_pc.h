/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Queries a plug-in for each pc of a case, in a sweep. */

#include "../sweep/judge.h"
#include "plugin.h"

/* The plug-in's answer for the deepest stack queried so far. */
struct plugin_shown {
	u32 depth; /* depth of the true stack; 0: no answer */
	struct plugin_answer answer;
};

/**
 * plugin_each_pc() - query a plug-in for each pc that a case executes, and judge the answers
 * @c:		the case, which can't be executed again; a hand-laid case is one stop
 * @every:	query at the first new pc and then at each @every-th new pc; 0 means 1
 * @shown:	may be NULL
 * @out:	freed by sweep_result_deinit(); a boundary is a stop that was queried, and a miss is
 *		a wrong answer
 * @error:	set to the reason if the case or the plug-in could not continue
 *
 * If a plug-in gives no answer many times in a row, it is not queried any more.
 *
 * Return: 0 even if answers are wrong, or a negative errno with @error set.
 */
int plugin_each_pc(struct sim_plugin *p, const struct sim_case *c, u32 every,
		   struct plugin_shown *shown, struct sweep_result *out, struct sim_error *error);
