// SPDX-License-Identifier: BSD-2-Clause

#include "engine_list.h"

#include "guest.h"
#include "kernel.h"

const struct sim_engine *const sim_engines[SIM_N_ENGINES] = {
	&sim_engine_native,
	&sim_engine_guest,
	&sim_engine_kernel,
};
