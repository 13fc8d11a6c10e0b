// SPDX-License-Identifier: BSD-2-Clause

/*
 * Builds the core natively, once for each architecture: SIM_ARCH is the architecture's name, and
 * the include path has the architecture's arch.h.
 */

#include "walk.h"

#define SIM_CAT_(a, b) a##b
#define SIM_CAT(a, b) SIM_CAT_(a, b)
#define SIM_STR_(a) #a
#define SIM_STR(a) SIM_STR_(a)

static void walk(struct uw_state *u, const struct sim_target *target)
{
	sim_port_target = target;
	sim_walk(u, target);
	sim_port_target = NULL;
}

static int ra_slot(u32 insn)
{
	return arch_ra_slot(insn);
}

const struct sim_arch SIM_CAT(sim_arch_, SIM_ARCH) = {
	SIM_STR(SIM_ARCH), walk, ra_slot, arch_v8_may_lack_frame, arch_v8_ra_slot, ARCH_V8_BEFORE,
};
