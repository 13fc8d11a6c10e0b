/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the frames of a walk over a case are called, as far as the files that it maps are here. */

#include "../../inspect/case/frames.h"
#include "../../inspect/target/target.h"

struct v8_asked;

/* Hears how each frame is named. */
struct sim_listener {
	const char *file; /* one that the case maps, if it is not where it was; or NULL */
	void (*asked)(void *ctx, const struct v8_asked *asked); /* of the next frame */
	void (*named)(void *ctx, u32 frame, const struct case_frame *names, u32 n);
	void *ctx;
};

/* What a walk over @core does not set of a sample, and names need. */
void sim_take_regs(const struct case_file *core, struct uw_sample *s);

/**
 * sim_name_frames() - name a walk
 * @c:		whose mappings' files are looked for where they were, by build id
 * @s:		the walk, after sim_take_regs()
 * @memory:	of @c
 * @listener:	or NULL
 * @runtime:	gets the name of the runtime, 64 bytes: "" where it is not known
 * @out:	frames are appended
 *
 * Return: 0 or -ENOMEM. A frame that nothing is known of has no name.
 */
int sim_name_frames(const struct case_file *c, const struct uw_sample *s, struct target *memory,
		    const struct sim_listener *listener, char *runtime, struct case_frames *out);
