/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The deoptimization points of one piece of optimized code: what v8_deopt.c shares. */

#include "v8_heap.h"
#include "v8_translation.h"

#define V8_DEOPT_FRAMES (V8_MAX_NAMES - 1)

struct v8_point {
	u32 pc; /* offset of the instruction, of a call that of its last byte */
	u32 idx;
	bool is_call;
};

/* Code out of line. */
struct v8_piece {
	u32 start, from; /* from: the jump to it */
};

struct v8_deopt {
	struct v8_heap *h;
	const struct v8_code *code;
	u64 *data; /* of the deoptimization data */
	u32 n_data, n_entries;
	u8 *translations, *text;
	u32 translations_len, text_len;
	struct v8_point *points; /* by pc */
	u32 n_points;
	struct v8_piece *pieces; /* by start */
	u32 n_pieces;
};

/* The functions at a point, outermost first. */
struct v8_path {
	struct v8_translated frames[V8_DEOPT_FRAMES];
	int n;
	u32 len; /* bytes of translations that it took to read it */
};

/* Its points at calls. To be ended by v8_deopt_deinit(), also if it failed. */
int v8_deopt_init(struct v8_deopt *d, struct v8_heap *h, const struct v8_code *code);
/* Adds those at checks, and finds the code out of line, by its instructions. */
int v8_deopt_follow(struct v8_deopt *d);
/* Is the instruction at @off after all other code, for what is rarely run? */
bool v8_deopt_is_out_of_line(const struct v8_deopt *d, u32 off);
void v8_deopt_deinit(struct v8_deopt *d);

/*
 * How many functions there are at a point, or -EINVAL. An entry repeats the bytecode of the
 * innermost frame: so it is one, and its translation is its own.
 */
int v8_deopt_path(const struct v8_deopt *d, const struct v8_point *p, struct v8_path *path);
