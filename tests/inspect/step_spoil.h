/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Faults for the judge of single steps: with $STEP_SPOIL set, one walk of 100 is made wrong
 * before it is judged, in one of these ways, and the judge must notice it.
 *
 *	lost		the frame of the innermost caller's caller is missing
 *	invented	a frame is there twice
 *	swapped		two frames in the middle have changed places
 *	cut		the frame of the outermost caller that is judged is missing
 *	renamed		a frame has another one's function
 */

#include "../../core/uw_frame.h"

void step_spoil(struct uw_sample *s);
