/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_compare.h"

#include <string.h>

bool step_chain_agrees(const struct uw_sample *s, u32 from, const struct step_chain *chain,
		       u32 ra_idx, u64 offset)
{
	if (ra_idx > chain->n - chain->is_cut)
		return false;
	for (; ra_idx < chain->n; from++, ra_idx++)
		if (from >= s->n_frames || s->frames[from].pc != chain->ras[ra_idx] + offset)
			return false;
	return chain->is_cut || from == s->n_frames;
}

const char *step_chain_form(const struct uw_sample *s, const struct step_chain *chain)
{
	if (step_chain_agrees(s, 1, chain, 0, 0))
		return "a wrong name";
	if (step_chain_agrees(s, 1, chain, 1, 0))
		return "the caller is missing";
	if (s->n_frames > 1 && chain->n > 1 && s->frames[1].pc == chain->ras[0] &&
	    step_chain_agrees(s, 2, chain, 2, 0))
		return "the caller of the caller is missing";
	if (step_chain_agrees(s, 1, chain, 2, 0))
		return "two callers are missing";
	if (step_chain_agrees(s, 2, chain, 0, 0))
		return "a caller too many";
	if (s->n_frames == 1)
		return "no caller";
	return "another stack";
}

bool step_chain_drop_outermost(struct step_chain *chain)
{
	u32 n_kept = chain->is_cut;

	if (chain->n <= n_kept)
		return false;
	chain->ras[chain->n - n_kept - 1] = chain->ras[chain->n - 1];
	chain->n--;
	return true;
}
