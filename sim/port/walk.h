/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The loop round the core's step where nothing limits loops: natively and in a guest. */

#include "../../core/uw_walk.h"
#include "../case/target.h"

/* @u: as sim_walk_start() left it; @step: uw_step(), or a stranger's in its place */
UW_INLINE void sim_walk_by(struct uw_state *u, enum uw_status (*step)(struct uw_state *u))
{
	enum uw_status status;

	uw_walk_begin(u);
	do
		status = step(u);
	while (status == UW_OK);
	uw_walk_end(u, status);
}

UW_INLINE void sim_walk_go(struct uw_state *u)
{
	sim_walk_by(u, uw_step);
}

UW_INLINE void sim_walk(struct uw_state *u, const struct sim_target *target)
{
	sim_walk_start(u, target);
	sim_walk_go(u);
}
