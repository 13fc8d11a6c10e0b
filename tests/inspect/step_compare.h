/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compares the frames of a walk with the return addresses of a true stack. */

#include "../../core/uw_state.h"

#define STEP_MAX_CHAIN 4096

/* Innermost first. */
struct step_chain {
	u64 ras[STEP_MAX_CHAIN];
	u32 n;
	bool is_cut; /* the last one is compared, but not its callers */
};

/*
 * At least the last entry before a cut is compared. Are the frames from @from on the
 * return addresses from @ra_idx on, @offset bytes off?
 */
bool step_chain_agrees(const struct uw_sample *s, u32 from, const struct step_chain *chain,
		       u32 ra_idx, u64 offset);

/* How the frames differ; a static string. */
const char *step_chain_form(const struct uw_sample *s, const struct step_chain *chain);

/* Drops the outermost caller that is compared completely; false: there is none. */
bool step_chain_drop_outermost(struct step_chain *chain);
