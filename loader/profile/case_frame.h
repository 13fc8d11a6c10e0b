/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/case/case.h"
#include "profile.h"

/*
 * Converts a named frame to a frame of a case. Borrows texts from @f. @pc: pc of the frame
 * in the walk.
 */
struct case_frame case_frame_of(const struct prof_frame *f, u64 pc);
