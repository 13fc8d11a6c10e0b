/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Samples that are not written yet. They are kept as they come and sorted when
 * they are written, so that those of one thread and stack make one line.
 */

#include <stdio.h>

#include "json_line.h"

struct kept_sample {
	u32 pid, tid, stack;
	u8 activity; /* enum prof_activity */
	u8 unresolved;
	u8 label; /* the activity can't be told from the stack: it is a label */
	u64 t_us;
};

struct kept {
	struct kept_sample *samples;
	size_t n, room;
};

/* Frees what was there, makes room for @bytes bytes of samples. 0 or -ENOMEM. */
int kept_init(struct kept *k, size_t bytes);
void kept_deinit(struct kept *k);

bool kept_is_full(const struct kept *k);

/* There must be room. */
void kept_add(struct kept *k, const struct kept_sample *s);

/**
 * kept_write() - write all samples as "samples" lines and forget them
 * @line:	scratch
 *
 * Return: 0 or the negative errno of a write.
 */
int kept_write(struct kept *k, struct json_line *line, FILE *out);
