/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A set of pcs, each with a value that the user of the set defines. */

#include "../../core/types.h"

struct sweep_pc {
	u64 pc;
	u32 value; /* initially 0 */
	bool used;
};

struct sweep_pcs {
	struct sweep_pc *slots;
	u32 n_slots; /* a power of two */
	u32 n;
};

/*
 * Returns the entry of @pc; if there is none, adds one; NULL if memory is exhausted. Borrowed
 * until the next call.
 */
struct sweep_pc *sweep_pcs_get(struct sweep_pcs *set, u64 pc);
void sweep_pcs_deinit(struct sweep_pcs *set);
