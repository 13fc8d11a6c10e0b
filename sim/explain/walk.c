// SPDX-License-Identifier: BSD-2-Clause

/*
 * The core with a recording port, built natively once for each architecture; TRACE_WALK is
 * the name of the function.
 */

#include "../port/walk.h"

void TRACE_WALK(struct uw_state *u, const struct sim_target *target)
{
	sim_walk(u, target);
}
