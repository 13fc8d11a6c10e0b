// SPDX-License-Identifier: BSD-2-Clause

#include "frames.h"

#include "../util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_TEXTS 7

static void texts_of(struct case_frame *f, const char ***texts)
{
	texts[0] = &f->kind;
	texts[1] = &f->name;
	texts[2] = &f->file;
	texts[3] = &f->module;
	texts[4] = &f->build_id;
	texts[5] = &f->tier;
	texts[6] = &f->reason;
}

int case_frames_add(struct case_frames *frames, const struct case_frame *f)
{
	const char **texts[N_TEXTS];
	int err = 0;

	if (array_reserve(frames->v, frames->room, frames->n + 1))
		return -ENOMEM;
	frames->v[frames->n] = *f;
	texts_of(&frames->v[frames->n++], texts);
	for (u32 i = 0; i < N_TEXTS; i++) {
		if (!*texts[i])
			continue;
		*texts[i] = strdup(*texts[i]);
		if (!*texts[i])
			err = -ENOMEM;
	}
	return err;
}

void case_frames_deinit(struct case_frames *frames)
{
	const char **texts[N_TEXTS];

	for (u32 i = 0; i < frames->n; i++) {
		texts_of(&frames->v[i], texts);
		for (u32 k = 0; k < N_TEXTS; k++)
			free((char *)*texts[k]);
	}
	free(frames->v);
	*frames = (struct case_frames){ 0 };
}
