/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Named frames of a case under construction. The frames own their strings. */

#include "case.h"

struct case_frames {
	struct case_frame *v; /* leaf first */
	u32 n, room;
};

/* Appends a copy of @f. Return: 0 or -ENOMEM. */
int case_frames_add(struct case_frames *frames, const struct case_frame *f);
void case_frames_deinit(struct case_frames *frames);
