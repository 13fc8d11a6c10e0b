/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Faults for the judge of single steps: with $STEP_SPOIL set, one walk in 100 is made wrong
 * before it is judged, in one of these ways, and the judge must detect each of them.
 *
 *	lost		a caller's frame is missing
 *	invented	a caller's frame occurs twice
 *	swapped		two frames in the middle are exchanged
 *	cut		the frame of the outermost judged caller is missing
 *	renamed		a caller has the function of another frame
 *
 * A walk may lack its innermost caller if the names are right. In a recursion, no return address
 * shows which caller is missing. So only a frame that differs from that of the innermost caller is
 * lost or invented; then the judge must report it. In optimized code, names do not always depend on
 * the function in the frame, so a frame is renamed only if that changes a name that the judge
 * compares.
 *
 * If a walk cannot be made wrong in the selected way, a later walk is made wrong instead.
 */

#include "../../core/uw_frame.h"

/**
 * step_spoil() - make a walk wrong, if it is one of the walks to be made wrong
 * @s:		the walk
 * @has_other_names: do the names of @s that the judge compares differ from those of @good? NULL:
 *		NULL: names are not judged
 * @data:	for @has_other_names
 *
 * Return: true if the walk is wrong now.
 */
bool step_spoil(struct uw_sample *s,
		bool (*has_other_names)(void *data, const struct uw_sample *good), void *data);
