/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Faults for the judge of single steps: with $STEP_SPOIL set, one walk of 100 is made wrong
 * before it is judged, in one of these ways, and the judge must notice each of them.
 *
 *	lost		a caller's frame is missing
 *	invented	a caller's frame is there twice
 *	swapped		two frames in the middle have changed places
 *	cut		the frame of the outermost caller that is judged is missing
 *	renamed		a caller has another one's function
 *
 * A walk may lack its innermost caller if the names are right, and within a recursion no return
 * address shows which caller is missing. So the frame that is lost or invented differs from
 * the innermost caller's: then the stack is wrong whatever function the walk is in. Names are
 * right in optimized code without a look at the frame's function; so a frame is renamed only if
 * this changes a name that the judge compares.
 *
 * Where a walk can't be made so wrong, a later one is.
 */

#include "../../core/uw_frame.h"

/**
 * step_spoil() - make a walk wrong if it is one's turn
 * @s:		the walk
 * @has_other_names: does @s have other names than @good, and are they compared? NULL: names are
 *		not judged
 * @data:	for @has_other_names
 *
 * Return: whether it is wrong now.
 */
bool step_spoil(struct uw_sample *s,
		bool (*has_other_names)(void *data, const struct uw_sample *good), void *data);
