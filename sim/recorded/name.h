/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names the frames of a walk over a case, if the files that the case maps are found. */

#include "../../inspect/case/frames.h"
#include "../../inspect/target/target.h"

struct v8_asked;

/* Receives the results of naming each frame. */
struct sim_listener {
	const char *file; /* new path of a file that the case maps and that has moved; or NULL */
	void (*asked)(void *ctx, const struct v8_asked *asked); /* before named() */
	void (*named)(void *ctx, u32 frame, const struct case_frame *names, u32 n);
	void *ctx;
};

/* Sets the fields of a sample that naming needs and that a walk over @core does not set. */
void sim_take_regs(const struct case_file *core, struct uw_sample *s);

/**
 * sim_name_frames() - name a walk
 * @c:		the case; the files that it maps are searched at their paths and checked by build id
 * @s:		sample of the walk, after sim_take_regs()
 * @memory:	memory of @c
 * @listener:	or NULL
 * @runtime:	set to the name of the runtime, 64 bytes: "" if unknown
 * @out:	the named frames are appended
 *
 * Return: 0 or -ENOMEM. A frame that can't be named gets no name.
 */
int sim_name_frames(const struct case_file *c, const struct uw_sample *s, struct target *memory,
		    const struct sim_listener *listener, char *runtime, struct case_frames *out);
