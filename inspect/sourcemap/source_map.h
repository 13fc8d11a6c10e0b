/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A source map (ECMA-426, revision 3): from places in a generated file to places in the sources
 * that it was made of.
 *
 * Maps come from a target or beside its files, so they are hostile: their length, the number of
 * their values, sections and segments are capped. A map with anything malformed is refused as a
 * whole.
 */

#include <stdbool.h>
#include <stddef.h>

#include "../../core/types.h"

#define SOURCE_MAP_MAX_LEN (64u << 20) /* of its JSON */

struct source_map;

/* A place in a source. Strings are the map's own. */
struct source_map_place {
	const char *source; /* as the map has it, `sourceRoot` before it */
	u32 line, column; /* from 1, columns in UTF-16 units */
	const char *name; /* of the token there, before it was renamed; NULL: none */
	bool is_ignored; /* third-party code, by the map's ignoreList */
	const char *text; /* of the source, by `sourcesContent`; NULL: not kept, see MAX_CONTENT */
	size_t text_len;
};

/**
 * source_map_new() - read a map
 * @map:	new map, free with source_map_free()
 * @text:	JSON; may begin with the line ")]}'" that servers put before it
 *
 * Return: 0, -ENOEXEC (no source map, or one that is not well-formed), -EFBIG or -ENOMEM.
 */
int source_map_new(struct source_map **map, const char *text, size_t len);
void source_map_free(struct source_map **map);

/* Bytes that a map holds. */
size_t source_map_size(const struct source_map *map);

/**
 * source_map_find() - the source of a place in the generated file
 * @line, @column:	from 1, columns in UTF-16 units
 *
 * It is that of the closest segment on the line which does not begin after @column.
 *
 * Return: 0, or -ENOENT when the map has none.
 */
int source_map_find(const struct source_map *map, u32 line, u32 column,
		    struct source_map_place *place);

/* The same, but only if a segment begins at @column: -ENOENT otherwise. */
int source_map_find_start(const struct source_map *map, u32 line, u32 column,
			  struct source_map_place *place);
