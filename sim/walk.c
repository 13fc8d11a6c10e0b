// SPDX-License-Identifier: BSD-2-Clause

/*
 * The native engine. Compiled once for each architecture: SIM_ARCH is its name,
 * and the include path has its arch.h.
 */

#include "../core/uw_walk.h"

#define SIM_CAT_(a, b) a##b
#define SIM_CAT(a, b) SIM_CAT_(a, b)
#define SIM_STR_(a) #a
#define SIM_STR(a) SIM_STR_(a)

static void walk(struct uw_state *u, const struct sim_target *target)
{
	enum uw_status status;

	sim_port_target = target;
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
	sim_port_target = NULL;
}

static int ra_slot(u32 insn)
{
	return arch_ra_slot(insn);
}

const struct sim_arch SIM_CAT(sim_arch_, SIM_ARCH) = { SIM_STR(SIM_ARCH), walk, ra_slot };
