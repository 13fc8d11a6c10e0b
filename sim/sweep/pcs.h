/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The set of pcs that were seen, each with a number that the user of the set keeps. */

#include "../../core/types.h"

struct sweep_pc {
	u64 pc;
	u32 value; /* 0 at first */
	bool used;
};

struct sweep_pcs {
	struct sweep_pc *slots;
	u32 n_slots; /* a power of two */
	u32 n;
};

/* The entry of @pc, made if there is none; NULL without memory. Borrowed until the next call. */
struct sweep_pc *sweep_pcs_get(struct sweep_pcs *set, u64 pc);
void sweep_pcs_deinit(struct sweep_pcs *set);
