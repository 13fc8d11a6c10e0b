// SPDX-License-Identifier: BSD-2-Clause

/*
 * Builds a foreign header natively, once for each architecture: SIM_ARCH is the
 * architecture's name, SIM_FOREIGN the header in quotes, and the include path has the
 * architecture's arch.h.
 */

#include "../port/walk.h"
#include "foreign.h"

#include SIM_FOREIGN

#define SIM_CAT_(a, b) a##b
#define SIM_CAT(a, b) SIM_CAT_(a, b)

/*
 * Like uw_step(), adds a frame for the current registers; then the header finds the caller's
 * registers.
 */
static enum uw_status step(struct uw_state *u)
{
	struct uw_frame *f = uw_new_frame(u, u->regs.pc);
	enum uw_status status;

	if (!f)
		return UW_T_DEPTH;
	f->flags = u->next_flags;
	status = foreign_step(u);
	u->is_top = false;
	u->next_flags = UW_FRAME_RA;
	return status;
}

void SIM_CAT(sim_foreign_walk_, SIM_ARCH)(struct uw_state *u, const struct sim_target *target)
{
	sim_port_target = target;
	sim_walk_start(u, target);
	sim_walk_by(u, step);
	sim_port_target = NULL;
}
