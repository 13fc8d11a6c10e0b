/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A frame in generated code becomes one in its source. */

#include "source_maps.h"

#define MAP_FRAME_TEXT 64

/*
 * The text before the start of the frame's function, up to @len characters; each that is not ASCII
 * is 0x80. Returns how many, or a negative errno.
 */
typedef int map_frame_text_fn(void *data, char *text, size_t len);

/**
 * map_frame() - find the source of a frame
 * @f:		of generated code: name, file, line and start are replaced by those of the source,
 *		and the position that it had becomes generated_file, generated_line and
 *		generated_column; as it was if there is no map. Strings are borrowed until the next
 *		source_maps_find().
 * @text:	for the name, which the map has for the token in front of the function's start
 *
 * A text that is in no file (its map is inline) has no lines that anybody could look at: of a
 * position without a source only generated_line and generated_column are left.
 */
void map_frame(struct source_maps *s, const struct source_maps_script *script, struct prof_frame *f,
	       map_frame_text_fn *text, void *data);

/* The name in front of a function's parameters. */
struct map_frame_name {
	size_t off, len; /* in the text */
	bool is_given; /* by a call, so V8 does not know it */
};

/**
 * map_frame_name() - find that name
 * @text:	ends where the function starts, for V8: at its parameters
 * @len:	of @text
 *
 *	function NAME|(x) {..}     NAME = |(x) => ..     NAME: async function* |(x) {..}
 *	NAME = __name(|(x) => .., "NAME")      esbuild's keepNames, which tsx uses
 *
 * Return: 0 or -ENOENT.
 */
int map_frame_name(const char *text, size_t len, struct map_frame_name *name);
