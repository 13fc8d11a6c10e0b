/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Samples that are not yet written. Samples are stored in the order of arrival. Before they
 * are written, they are sorted, so that samples of one thread and stack share a line.
 */

#include <stdio.h>

#include "json_line.h"

struct kept_sample {
	u32 pid, tid, stack;
	u8 activity; /* enum prof_activity */
	u8 unresolved;
	u8 label; /* the activity differs from the activity that the stack implies */
	u64 t_us;
};

struct kept {
	struct kept_sample *samples;
	size_t n, room;
};

/* Frees any previous memory and allocates @bytes bytes for samples. Returns 0 or -ENOMEM. */
int kept_init(struct kept *k, size_t bytes);
void kept_deinit(struct kept *k);

bool kept_is_full(const struct kept *k);

/* Adds a sample; the caller ensures that there is room. */
void kept_add(struct kept *k, const struct kept_sample *s);

/* Removes all samples. */
void kept_forget(struct kept *k);

/**
 * kept_write() - write all samples as "samples" lines and remove them
 * @line:	scratch
 *
 * Return: 0 or the negative errno of a write.
 */
int kept_write(struct kept *k, struct json_line *line, FILE *out);
