/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The tables of the optimized code of a function: deoptimization data, instructions, positions, and
 * the deoptimization points made from these. Each table is read on first use. Private to
 * inspect/v8.
 */

#include "v8_code.h"
#include "v8_translation.h"

/* Reasons why a function or line is missing. */
extern const char v8_unreadable[], v8_no_line[];

#define V8_DEOPT_FRAMES (V8_MAX_NAMES - 1)

struct v8_point {
	u32 pc; /* offset of the instruction; for a call, of its last byte */
	u32 idx;
	s32 exit; /* for a call, the offset of the exit in the code; or V8_NO_EXIT */
	bool is_call;
};

/* A piece of deferred code, entered by a jump. */
struct v8_piece {
	u32 start, from; /* offsets of the piece's first byte, and of the jump to the piece */
};

struct v8_deopt {
	struct v8_heap *h;
	const struct v8_code *code;
	u64 *data; /* the n_data words of the deoptimization data */
	u32 n_data, n_entries;
	u8 *translations, *text, *position_bytes, *tree;
	u32 translations_len, text_len;
	struct v8_positions positions; /* refers to position_bytes, which is NULL until read */
	u32 n_inlined; /* number of entries of the tree of inlined calls */
	struct v8_point *points; /* sorted by pc */
	u32 n_points;
	struct v8_piece *pieces; /* sorted by start; NULL: the search has not been made */
	u32 n_pieces;
};

/* The functions at a deoptimization point, outermost first. */
struct v8_path {
	struct v8_translated frames[V8_DEOPT_FRAMES];
	int n;
	u32 len; /* number of bytes of translations decoded so far */
};

/* An inlined call. */
struct v8_inlining {
	u64 position;
	s32 function_idx; /* index of the literal; below 0: the outermost function */
};

/* Frees the tables. Before the first use of @d, set @h and @code, and zero the rest. */
void v8_deopt_deinit(struct v8_deopt *d);

/*
 * Each of these functions reads the part that it is named after, on first use. Returns 0 or a
 * negative errno.
 */
int v8_deopt_read_data(struct v8_deopt *d);
int v8_deopt_read_text(struct v8_deopt *d);
int v8_deopt_read_positions(struct v8_deopt *d);
int v8_deopt_read_tree(struct v8_deopt *d);
/* Makes the deoptimization points of calls. */
int v8_deopt_read_calls(struct v8_deopt *d);
/*
 * Also decodes the instructions, to make the deoptimization points of checks and to find deferred
 * code.
 */
int v8_deopt_read_checks(struct v8_deopt *d);

/* Finds the entry of the position table at @off, and returns the same as v8_positions_find(). */
int v8_deopt_position(struct v8_deopt *d, s64 off, u64 *pos);

/* The words of a point's entry in the deoptimization data. */
enum { V8_ENTRY_BYTECODE, V8_ENTRY_TRANSLATION, V8_ENTRY_PC, V8_ENTRY_WORDS };
u32 v8_deopt_entry(const struct v8_deopt *d, u32 idx, u32 field);

/*
 * Returns the number of functions at a point, or -EINVAL. Checks that the point's entry and
 * translation agree on the bytecode of the innermost frame.
 */
int v8_deopt_path(const struct v8_deopt *d, const struct v8_point *p, struct v8_path *path);

/* Returns the piece of deferred code that contains @off, or NULL. */
const struct v8_piece *v8_deopt_piece(const struct v8_deopt *d, u32 off);

/* Reads an inlined call. Returns -EINVAL if the id is out of range. */
int v8_deopt_inlining(const struct v8_deopt *d, s32 id, struct v8_inlining *in);

/* Returns the function of a literal, tagged, or 0. */
u64 v8_deopt_function(const struct v8_deopt *d, s32 literal);

#define V8_NO_TARGET (-1)
/* Returns the target of the jump at offset @off of the text, or V8_NO_TARGET. */
s64 v8_deopt_jump(const struct v8_deopt *d, u32 off);

/* Returns the instruction at @off of the text if it is of kind @kind, or NULL. */
static inline const struct v8_insn *v8_deopt_insn(const struct v8_deopt *d, enum v8_insn_kind kind,
						  u32 off)
{
	return v8_insn_at(d->h->build->arch, kind, d->text, d->text_len, off);
}

/* Is one of the tables in @lacks (enum v8_lack) missing or wrong? */
static inline bool v8_lacks(const struct v8_heap *h, const struct v8_code *code, u16 tables)
{
	return h->l->lacks[code->tier] & tables;
}

/*
 * Can the positions of deferred code not be found, because the code has none and is not recognized?
 */
static inline bool v8_lacks_deferred(const struct v8_heap *h, const struct v8_code *code)
{
	return v8_lacks(h, code, V8_NO_DEFERRED) &&
	       (!h->l->deopt_form || !h->build->arch->knows_exits);
}
