/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unwinds one frame of Toy. In the product, this file would be core/toy/toy.h. Toy's code lies
 * in anonymous memory and keeps frame records from its first instruction on:
 *
 *	fp + 8	return address		ra = *(fp + 8)
 *	fp	caller's fp		fp = *fp
 *
 * A function never moves, and exists until its process ends, so the pc suffices as a token.
 */

#include "../../core/uw_walk.h"

enum { UW_MAP_TOY = UW_N_MAP_KINDS }; /* core/uw_mapping.h */
enum { UW_TOY = UW_N_KINDS }; /* core/uw_frame.h */

/**
 * toy_step() - unwind one frame of Toy
 * @f:	receives the kind of the frame
 *
 * Return: see fp_step().
 */
UW_INLINE enum uw_status toy_step(struct uw_state *u, struct uw_frame *f)
{
	f->kind = UW_TOY;
	return fp_step(u, 0);
}

/*
 * Tries Toy before calling uw_step(); any driver may add its own runtimes in this way. In the
 * core, this would be one line of uw_step_in_mapping().
 */
UW_INLINE enum uw_status toy_or_other_step(struct uw_state *u)
{
	const struct uw_frame at = { .pc = u->regs.pc, .flags = u->next_flags };
	struct uw_frame *f;

	if (!u->has_tables || !uw_find_mapping(u, uw_frame_lookup_pc(&at)) ||
	    u->map.kind != UW_MAP_TOY)
		return uw_step(u);
	f = uw_new_frame(u, at.pc);
	if (!f)
		return UW_T_DEPTH;
	f->flags = at.flags;
	u->is_top = !(f->flags & UW_FRAME_RA);
	u->has_guess |= f->flags & UW_FRAME_GUESS;
	return toy_step(u, f);
}
