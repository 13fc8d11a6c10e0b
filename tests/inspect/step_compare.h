/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compares the frames of a walk with the return addresses of a true stack. */

#include "../../core/uw_state.h"

#define STEP_MAX_CHAIN 4096

/* Return addresses, innermost first. */
struct step_chain {
	u64 ras[STEP_MAX_CHAIN];
	u32 n;
	bool is_cut; /* the last return address is compared, but the callers further out are not */
};

/*
 * Are the frames from @from on at the return addresses from @ra_idx on, each plus @offset bytes? If
 * the chain is cut, at least its last entry is compared.
 */
bool step_chain_agrees(const struct uw_sample *s, u32 from, const struct step_chain *chain,
		       u32 ra_idx, u64 offset);

/* Returns how the frames differ from the chain, as static text. */
const char *step_chain_form(const struct uw_sample *s, const struct step_chain *chain);

/*
 * Removes the outermost caller, but not the last return address of a chain that is cut. Returns
 * false if none is left.
 */
bool step_chain_drop_outermost(struct step_chain *chain);
