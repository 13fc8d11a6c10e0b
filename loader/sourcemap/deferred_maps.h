/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Source maps that are parsed when the profile is written. Parsing a map of 50 MiB takes about a
 * second, and meanwhile the recorder could not read samples.
 *
 *	recording    deferred_maps_add() opens the map, and gives the frame a number. In the
 *	             .partial file, the frame has this number and its generated position.
 *	end          deferred_maps_attach() parses each map once. While the .partial file is read,
 *	             frames with a number are replaced by frames of the sources.
 */

#include "../profile/reader.h"
#include "map_frame.h"

struct deferred_maps;

int deferred_maps_new(struct deferred_maps **d);
void deferred_maps_free(struct deferred_maps **d);

/**
 * deferred_maps_add() - add a frame whose source is to be found
 * @script:	script of the frame; url_hash 0: the script refers to no map
 * @f:		a frame of generated code. Its member `deferred` is set if the script refers to a
 *		map. If the text of the script is not the text of its file, the lines of @f are
 *		moved to generated_line and generated_column.
 * @text:	reads the text before the function's start, as for map_frame()
 * @data:	passed to @text
 */
void deferred_maps_add(struct deferred_maps *d, const struct source_maps_script *script,
		       struct prof_frame *f, map_frame_text_fn *text, void *data);

/* Whether there are frames whose source is to be found. */
bool deferred_maps_any(const struct deferred_maps *d);

/*
 * Finds the sources of all frames added so far, and makes @r replace these frames. @d must outlive
 * @r. NULL: no frames are replaced.
 */
void deferred_maps_attach(struct deferred_maps *d, struct prof_reader *r);

/**
 * deferred_maps_each_problem() - report maps that are missing, malformed or too large
 *
 * Calls @fn at most once for maps, and at most once for TypeScript without a map. Each text is one
 * line that names the first such script, and the number of others.
 */
void deferred_maps_each_problem(const struct deferred_maps *d,
				void (*fn)(const char *text, void *data), void *data);
