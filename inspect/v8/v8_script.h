/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A script's name and lines. Private to inspect/v8. */

#include "v8_string.h"

/* A JavaScript source, valid as long as the cache. */
struct v8_script {
	struct v8_script *next;
	u64 tagged;
	u64 key[3]; /* name, source and id, which identify the script */
	const char *file; /* UTF-8 or NULL */
	const char *origin; /* for code of eval(), what is reported instead of a file; or NULL */
	bool is_origin_known;
	s32 line_offset, column_offset;
	u32 *line_starts; /* in UTF-16 units; NULL: not read yet */
	u32 n_lines, source_len;
	u64 map_hash; /* hash of the source map's URL; 0: none, or the text was not read yet */
	u32 map_pos, map_len; /* position of that URL, in UTF-16 units of the source */
	u32 n_attempts; /* number of attempts to read the lines */
	u64 retry_ns; /* time of the next attempt, or NEVER_NS */
	const char *lines_missing; /* the reason why lines are missing, or NULL */
};

/* Returns the script at @tagged, or NULL if the object is not a script or is unreadable. */
struct v8_script *v8_script_get(struct v8_heap *h, u64 tagged);

/* Does the object still have this key? */
bool v8_script_is_same(struct v8_heap *h, const struct v8_script *s);

/*
 * Visits @n UTF-16 units of the source from @from on. Return: 0, -ESTALE if the script moved, or
 * the error of a failed read.
 */
int v8_script_visit(struct v8_heap *h, struct v8_script *s, u32 from, u32 n,
		    int (*fn)(const struct v8_chars *c, void *data), void *data);

/*
 * Sets the line and column of @pos in the source; a column of 0 means that @pos is before the
 * file's first column. Returns false and sets *reason if the position is unknown.
 */
bool v8_script_position(struct v8_heap *h, struct v8_script *s, s32 pos, u32 *line, u32 *column,
			const char **reason);
