/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/case/case.h"
#include "profile.h"

/* A named frame as cases have it; its texts stay those of @f. @pc: of the walk's frame. */
struct case_frame case_frame_of(const struct prof_frame *f, u64 pc);
