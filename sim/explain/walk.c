// SPDX-License-Identifier: BSD-2-Clause

/*
 * The core natively once more, with a port that listens. Compiled once for each
 * architecture: TRACE_WALK is the function's name.
 */

#include "../port/walk.h"

void TRACE_WALK(struct uw_state *u, const struct sim_target *target)
{
	sim_walk(u, target);
}
