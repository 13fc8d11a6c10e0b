/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The world of fake_world.h, a sample with one of its frames, and the names of that frame. The
 * source file of a test program includes this file.
 */

#include <string.h>

#include "fake_world.h"

static struct fake_v8 v;
static struct fake_world w;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];

static inline int name_frame(struct v8_heap *h, const struct uw_frame *f)
{
	sample.n_frames = 1;
	sample.frames[0] = *f;
	return v8_heap_name(h, &sample, 0, names);
}

static inline int name_scene(struct v8_heap *h, const struct fake_scene *s)
{
	memcpy(sample.sp_words, s->sp_words, sizeof(s->sp_words));
	memcpy(sample.interp, s->interp, sizeof(s->interp));
	return name_frame(h, &s->frame);
}
