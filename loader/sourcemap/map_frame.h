/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Maps a frame of generated code to its source. */

#include "source_maps.h"

#define MAP_FRAME_TEXT 64

/*
 * Stores up to @len characters before the start of the frame's function; non-ASCII characters
 * are replaced by 0x80. Returns the number of characters, or a negative errno.
 */
typedef int map_frame_text_fn(void *data, char *text, size_t len);

/**
 * map_frame() - find the source of a frame
 * @f:		frame of generated code. If there is a map, name, file, line and start are set
 *		to those of the source, and the generated position is moved to generated_file,
 *		generated_line and generated_column. If there is no map, the frame is
 *		unchanged. The strings of @f are borrowed until the next source_maps_find().
 * @text:	reads the text before the function's start. The map may have a name for the
 *		last token of that text.
 *
 * The text of a script with an inline map is in no file, so its lines can't be looked up.
 * Such a frame keeps only generated_line and generated_column if its position has no source.
 */
void map_frame(struct source_maps *s, const struct source_maps_script *script, struct prof_frame *f,
	       map_frame_text_fn *text, void *data);

/* Moves the position of a frame to generated_file, generated_line and generated_column. */
void map_frame_drop_line(struct prof_frame *f);

/* The name before a function's parameters. */
struct map_frame_name {
	size_t off, len; /* in the text */
	bool is_given; /* a call such as __name() gives the name, so V8 does not know this name */
};

/**
 * map_frame_name() - find the name before a function's parameters
 * @text:	text that ends where the function starts according to V8, which is the start
 *		of the parameters
 * @len:	length of @text
 *
 *	function NAME|(x) {..}     NAME = |(x) => ..     NAME: async function* |(x) {..}
 *	NAME = __name(|(x) => .., "NAME")      esbuild's keepNames, which tsx uses
 *
 * Return: 0 or -ENOENT.
 */
int map_frame_name(const char *text, size_t len, struct map_frame_name *name);
