/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The loop round the core's step where nothing limits loops: natively and in a guest. */

#include "../../core/uw_walk.h"
#include "../target.h"

UW_INLINE void sim_walk(struct uw_state *u, const struct sim_target *target)
{
	enum uw_status status;

	u->regs = target->regs;
	u->va_mask = target->va_mask;
	u->extent = target->extent;
	u->has_tables = target->extent != 0;
	u->sample.flags = 0;
	u->sample.n_frames = 0;
	u->sample.n_kernel = 0;
	uw_walk_begin(u);
	do
		status = uw_step(u);
	while (status == UW_OK);
	uw_walk_end(u, status);
}
