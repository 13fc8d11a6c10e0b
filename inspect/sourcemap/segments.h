/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The `mappings` of a source map, decoded and sorted. Private to inspect/sourcemap. */

#include "../../core/types.h"

#define SEGMENT_NONE 0xffffffffu

/* All lines and columns count from 0; columns in UTF-16 units. */
struct segment {
	u32 line, column; /* in the generated file */
	u32 source; /* SEGMENT_NONE: generated code that no source has */
	u32 source_line, source_column;
	u32 name; /* SEGMENT_NONE: no name */
};

struct segments {
	struct segment *v;
	u32 n, room;
	u32 max; /* more are refused */
};

/* The part of a generated file that the mappings of one section describe. */
struct segments_section {
	u32 line, column; /* its start */
	u32 end_line, end_column; /* start of the next one */
	u32 first_source, n_sources; /* its own, in the list of all sections */
	u32 first_name, n_names;
};

/**
 * segments_decode() - append the segments of one `mappings` text
 *
 * The text is VLQ: https://tc39.es/ecma426/#sec-mappings (2024). Segments from the end of the
 * section on are dropped.
 *
 * Return: 0, -ENOEXEC (no such text, or a number out of range), -EFBIG (more than
 * @s->max segments) or -ENOMEM.
 */
int segments_decode(struct segments *s, const char *text, size_t len,
		    const struct segments_section *section);

/* Sorts by place in the generated file, if they are not. */
void segments_sort(struct segments *s);

/*
 * The segment that holds a place: the last one on its line that does not begin after it; the first
 * of several that begin there. NULL: there is none.
 */
const struct segment *segments_find(const struct segments *s, u32 line, u32 column);
