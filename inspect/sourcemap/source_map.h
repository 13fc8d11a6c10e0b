/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A source map (ECMA-426, revision 3) maps positions in a generated file to positions in the
 * sources it was made from.
 *
 * Maps come from a target or from the folders of its files, so they may be hostile. Therefore the
 * length of a map and the numbers of values, sections and segments are capped. A map with any
 * malformed part is rejected as a whole.
 */

#include <stdbool.h>
#include <stddef.h>

#include "../../core/types.h"

#define SOURCE_MAP_MAX_LEN (64u << 20) /* of the JSON text */

struct source_map;

/* A position in a source. The map owns the strings. */
struct source_map_place {
	const char *source; /* the source's name in the map, after its `sourceRoot` */
	u32 line, column; /* from 1, columns in UTF-16 units */
	const char *name; /* original name of the token at this position; NULL: none */
	bool is_ignored; /* third-party code, according to the map's ignoreList */
	const char *text; /* text from `sourcesContent`; NULL: not stored, see MAX_CONTENT */
	size_t text_len;
};

/**
 * source_map_new() - parse a map
 * @map:	new map, free with source_map_free()
 * @text:	JSON; may begin with the line ")]}'" that some servers prepend
 *
 * Return: 0, -ENOEXEC (not a source map, or malformed), -EFBIG or -ENOMEM.
 */
int source_map_new(struct source_map **map, const char *text, size_t len);
void source_map_free(struct source_map **map);

/* Memory of a map in bytes. */
size_t source_map_size(const struct source_map *map);

/**
 * source_map_find() - find the source of a position in the generated file
 * @line, @column:	from 1, columns in UTF-16 units
 *
 * Uses the last segment on the line that does not begin after @column.
 *
 * Return: 0, or -ENOENT if there is no such segment.
 */
int source_map_find(const struct source_map *map, u32 line, u32 column,
		    struct source_map_place *place);

/* Like source_map_find(), but returns -ENOENT unless a segment begins exactly at @column. */
int source_map_find_start(const struct source_map *map, u32 line, u32 column,
			  struct source_map_place *place);
