/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The deoptimization points of one piece of optimized code: what v8_deopt.c shares. */

#include "v8_inlined.h"
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

extern const char v8_no_line[]; /* the reason where code has no positions */

/* Is all that is known of places in @code its deoptimization points? */
bool v8_has_no_positions(const struct v8_heap *h, const struct v8_code *code);

/* Have some calls in @code another's position? */
bool v8_has_wrong_positions(const struct v8_heap *h, const struct v8_code *code);

/* ... and it is not known what of it is out of line? */
bool v8_has_unknown_pieces(const struct v8_heap *h, const struct v8_code *code);

/*
 * As v8_code_expand(), by the deoptimization points: of a call, or of code without positions;
 * 0: the positions have to tell, at @pc, which is moved from code out of line to where it is for.
 */
int v8_deopt_expand(struct v8_heap *h, const struct v8_code *code, u64 *pc, struct v8_inlined *out);

/* Return address of the call that returns to the exit at @exit, both offsets in @code, or 0. */
u32 v8_deopt_call(struct v8_heap *h, const struct v8_code *code, u32 exit);

/* x86-64: where a jump of four bytes' distance at @off of a text leads, or -1. */
s64 v8_jump_at(const u8 *text, u32 len, u32 off);
