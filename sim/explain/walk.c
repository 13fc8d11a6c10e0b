// SPDX-License-Identifier: BSD-2-Clause

/*
 * The core, built natively with a recording port, once for each architecture: TRACE_WALK is
 * the function's name.
 */

#include "../port/walk.h"

void TRACE_WALK(struct uw_state *u, const struct sim_target *target)
{
	sim_walk(u, target);
}
