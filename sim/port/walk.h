/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The loop around uw_step() for ports without a verifier, which are native and guest. */

#include "../../core/uw_walk.h"
#include "../case/target.h"

/* @u: after sim_walk_start(); @step: uw_step(), or the step of an external unwinder */
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
