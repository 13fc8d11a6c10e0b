/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The `mappings` of a source map, decoded and sorted. Private to inspect/sourcemap. */

#include "../../core/types.h"

#define SEGMENT_NONE 0xffffffffu
#define SEGMENTS_NO_END 0xffffffffu

/* All lines and columns count from 0; columns in UTF-16 units. */
struct segment {
	u32 line, column; /* in the generated file */
	u32 source; /* SEGMENT_NONE: generated code without a source */
	u32 source_line, source_column;
	u32 name; /* SEGMENT_NONE: no name */
};

struct segments {
	struct segment *v;
	u32 n, room;
	u32 max; /* limit; more segments are an error */
};

/* The part of a generated file that the mappings of one section describe. */
struct segments_section {
	u32 line, column; /* start */
	u32 end_line, end_column; /* start of the next section; end_line SEGMENTS_NO_END: none */
	u32 first_source, n_sources; /* the section's part of the list of all sources */
	u32 first_name, n_names;
};

/**
 * segments_decode() - append the segments of one `mappings` text
 *
 * The text is VLQ: https://tc39.es/ecma426/#sec-mappings (2024). Segments past the end of
 * the section are dropped.
 *
 * Return: 0, -ENOEXEC (malformed, or a number out of range), -EFBIG (more than
 * @s->max segments) or -ENOMEM.
 */
int segments_decode(struct segments *s, const char *text, size_t len,
		    const struct segments_section *section);

/* Sorts the segments by position in the generated file, unless they are sorted already. */
void segments_sort(struct segments *s);

/*
 * Returns the segment that contains a position: the last segment on the position's line that does
 * not begin after the position. If several segments begin at the same column, returns the first of
 * them. NULL: none.
 */
const struct segment *segments_find(const struct segments *s, u32 line, u32 column);
