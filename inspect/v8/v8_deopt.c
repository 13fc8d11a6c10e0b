/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds positions in optimized code by the code's deoptimization data. Each call, and each check
 * that may fail, is a deoptimization point. The translation of a point (v8_translation.c) has the
 * functions, including inlined functions, and the bytecode offset in each. V8 makes Error.stack
 * from the translation.
 *
 *	instructions		  deoptimization data	   translations
 *	  call f      <- safepoint ---.
 *	  ...			       +-> point { pc of its exit, translation } -> functions
 *	  jo exit     -> exit --------'
 *
 * The point of a call has the exact position of the call. The position of a check's point may be
 * too early, because V8 resumes at the last bytecode without a side effect. So the point has the
 * right functions, but perhaps not the right line. Any other instruction is between two points.
 * Inlined code is contiguous, so an instruction between two points belongs to the functions that
 * both points have; each gets a line only if the whole function is on one line. If an inlined
 * function has neither calls nor checks, the function is not found.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "v8_deopt.h"

#define MAX_TEXT_LEN (1u << 20)
#define MAX_SAFEPOINTS_LEN (64u << 10)
#define MAX_POINTS 65536

/* DeoptimizationData (v8/src/objects/code.h at 8.4, deoptimization-data.h at 12.9.202) */
#define TRANSLATIONS_IDX 0

/* Length of the entry of an inlined call: {u64 position of the call, i32 function, pad}. */
#define TREE_ENTRY_FUNCTION 8

const char v8_unreadable[] = "inlined functions unreadable";
const char v8_no_line[] = "source position unknown";

void v8_deopt_deinit(struct v8_deopt *d)
{
	free(d->data);
	free(d->translations);
	free(d->text);
	free(d->position_bytes);
	free(d->tree);
	free(d->points);
	free(d->pieces);
}

/* ---- tables ---- */

int v8_deopt_read_data(struct v8_deopt *d)
{
	return d->data ? 0 : v8_array_words(d->h, d->code->deopt, &d->data, &d->n_data);
}

int v8_deopt_read_text(struct v8_deopt *d)
{
	u32 len = d->code->len < MAX_TEXT_LEN ? d->code->len : MAX_TEXT_LEN;
	_cleanup_free_ u8 *text = d->text ? NULL : malloc(len + 1);
	int err;

	if (!text)
		return d->text ? 0 : -ENOMEM;
	err = v8_read(d->h, d->code->start_addr, text, len);
	if (err < 0)
		return err;
	d->text = TAKE_PTR(text);
	d->text_len = len;
	return 0;
}

int v8_deopt_read_positions(struct v8_deopt *d)
{
	return d->position_bytes ? 0
				 : v8_read_positions(d->h, d->code->positions, &d->position_bytes,
						     &d->positions);
}

int v8_deopt_position(struct v8_deopt *d, s64 off, u64 *pos)
{
	int err = v8_deopt_read_positions(d);

	return err ? err : v8_positions_find(d->positions, off, pos);
}

int v8_deopt_read_tree(struct v8_deopt *d)
{
	const u32 idx = d->h->l->deopt_inlining_idx;
	u32 len;
	int err = d->tree ? 0 : v8_deopt_read_data(d);

	if (err || d->tree)
		return err;
	err = idx < d->n_data ? v8_read_bytes(d->h, d->data[idx], &d->tree, &len) : -EINVAL;
	if (!err)
		d->n_inlined = len / V8_INLINING_ENTRY_LEN;
	return err;
}

int v8_deopt_inlining(const struct v8_deopt *d, s32 id, struct v8_inlining *in)
{
	const u8 *entry = d->tree + (size_t)V8_INLINING_ENTRY_LEN * (u32)id;

	if ((u32)id >= d->n_inlined)
		return -EINVAL;
	memcpy(&in->position, entry, sizeof(in->position));
	memcpy(&in->function_idx, entry + TREE_ENTRY_FUNCTION, sizeof(in->function_idx));
	return 0;
}

u64 v8_deopt_function(const struct v8_deopt *d, s32 literal)
{
	const u32 idx = d->h->l->deopt_literals_idx;
	u64 word;

	if (literal < 0 || idx >= d->n_data ||
	    v8_array_word(d->h, d->data[idx], (u32)literal, &word) < 0)
		return 0;
	return v8_unwrap_function(d->h, word);
}

u32 v8_deopt_entry(const struct v8_deopt *d, u32 idx, u32 field)
{
	return (u32)v8_smi(d->data[d->h->l->deopt_entries_idx + V8_ENTRY_WORDS * idx + field]);
}

int v8_deopt_path(const struct v8_deopt *d, const struct v8_point *p, struct v8_path *path)
{
	const struct v8_translated *innermost;

	path->n = v8_translation_read(d->translations, d->translations_len,
				      v8_deopt_entry(d, p->idx, V8_ENTRY_TRANSLATION),
				      d->h->l->deopt_form, path->frames, V8_DEOPT_FRAMES,
				      &path->len);
	if (path->n < 1)
		return -EINVAL;
	innermost = &path->frames[path->n - 1];
	if (!innermost->is_builtin && !innermost->is_among_stubs &&
	    v8_deopt_entry(d, p->idx, V8_ENTRY_BYTECODE) != (u32)innermost->offset)
		return -EINVAL;
	return path->n;
}

/* ---- points ---- */

static void add_point(struct v8_deopt *d, u32 pc, u32 idx, s32 exit, bool is_call)
{
	if (idx < d->n_entries && pc < d->code->len && d->n_points < MAX_POINTS)
		d->points[d->n_points++] = (struct v8_point){ pc, idx, exit, is_call };
}

/* Reads the safepoint table. @table refers to *bytes, which the caller frees. */
static int read_safepoints(struct v8_heap *h, const struct v8_code *code, u8 **bytes,
			   struct v8_safepoints *table)
{
	const struct v8_region *region = v8_region_at(h, code->start_addr);
	u32 off = code->len;
	u64 addr, len;
	int err;

	*bytes = malloc(MAX_SAFEPOINTS_LEN);
	if (!*bytes || !region)
		return *bytes ? -EINVAL : -ENOMEM;
	if (h->l->code_safepoints) {
		err = v8_read(h, code->tagged - 1 + h->l->code_safepoints, &off, sizeof(off));
		if (err < 0 || off > code->len)
			return err < 0 ? err : -EINVAL;
	}
	addr = code->start_addr + off;
	if (addr >= region->end_addr)
		return -EINVAL;
	len = region->end_addr - addr < MAX_SAFEPOINTS_LEN ? region->end_addr - addr
							   : MAX_SAFEPOINTS_LEN;
	err = v8_read(h, addr, *bytes, len);
	return err < 0 ? err : v8_safepoints_of(*bytes, len, h->l->deopt_form, table);
}

static int add_calls(struct v8_deopt *d)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_safepoints table;
	int err = read_safepoints(d->h, d->code, &bytes, &table);

	for (u32 i = 0; !err && i < table.n; i++) {
		struct v8_safepoint call = v8_safepoint_get(&table, i);

		if (call.pc && call.point >= 0)
			add_point(d, call.pc - 1, (u32)call.point, call.exit, true);
	}
	return err;
}

/*
 * Returns the point whose exit begins at @off, or V8_NO_POINT. From V8 12.9 on, each point has
 * the offset of its exit.
 */
static s64 exit_at(const struct v8_deopt *d, u32 off)
{
	const struct v8_insn *exit;
	size_t i;

	if (d->h->l->deopt_form == V8_DEOPT_8_4) {
		exit = v8_deopt_insn(d, V8_INSN_NUMBERED_EXIT, off);
		return exit ? (s64)(u32)v8_insn_operand(exit, d->text + off, 0) : V8_NO_POINT;
	}
	i = search_first(d->n_entries, k, v8_deopt_entry(d, (u32)k, V8_ENTRY_PC) < off);
	return i < d->n_entries && v8_deopt_entry(d, (u32)i, V8_ENTRY_PC) == off ? (s64)i
										 : V8_NO_POINT;
}

s64 v8_deopt_jump(const struct v8_deopt *d, u32 off)
{
	const struct v8_insn *jump = v8_deopt_insn(d, V8_INSN_JUMP, off);
	u64 to = jump ? v8_insn_operand(jump, d->text + off, off) : 0;

	return jump && d->h->build->arch->knows_exits && to < d->text_len ? (s64)to : V8_NO_TARGET;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct v8_piece *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

static bool is_behind(const struct v8_deopt *d, enum v8_insn_kind kind, u32 off)
{
	return v8_insn_before(d->h->build->arch, kind, d->text, d->text_len, off);
}

/*
 * Finds the start of Maglev's deferred code, which consists of pieces that end with a jump back and
 * a trap. The first piece is the target of a jump, and follows an instruction after which execution
 * does not continue.
 */
static u32 find_pieces(const struct v8_deopt *d)
{
	u32 first_end = d->text_len, start = d->text_len;
	s64 to;

	for (u32 i = 0; i < d->text_len; i++) {
		to = v8_deopt_jump(d, i);
		if (to >= 0 && to < i && v8_deopt_insn(d, V8_INSN_LAST_JUMP, i)) {
			first_end = i;
			break;
		}
	}
	for (u32 i = 0; i < first_end; i++) {
		to = v8_deopt_jump(d, i);
		if (to > i && to <= first_end && (start == d->text_len || to > start) &&
		    is_behind(d, V8_INSN_END, (u32)to))
			start = (u32)to;
	}
	return start;
}

static void add_pieces(struct v8_deopt *d)
{
	u32 first = find_pieces(d);

	for (u32 i = 0; i < d->text_len && d->n_pieces < MAX_POINTS; i++) {
		s64 to = v8_deopt_jump(d, i);

		if (to > i && to >= first && (to == first || is_behind(d, V8_INSN_TRAP, (u32)to)) &&
		    exit_at(d, (u32)to) < 0)
			d->pieces[d->n_pieces++] = (struct v8_piece){ (u32)to, i };
	}
	qsort(d->pieces, d->n_pieces, sizeof(*d->pieces), compare_pieces);
}

const struct v8_piece *v8_deopt_piece(const struct v8_deopt *d, u32 off)
{
	size_t i = search_first(d->n_pieces, k, d->pieces[k].start <= off);

	return i ? &d->pieces[i - 1] : NULL;
}

/* Adds points at jumps to exits, and at jumps to pieces of deferred code that contain a call. */
static void add_checks(struct v8_deopt *d)
{
	u32 n_calls = d->n_points;

	for (u32 i = 0; i < n_calls; i++) {
		const struct v8_piece *piece = v8_deopt_piece(d, d->points[i].pc);

		if (piece)
			add_point(d, piece->from, d->points[i].idx, V8_NO_EXIT, true);
	}
	for (u32 i = 0; i < d->text_len; i++) {
		s64 to = v8_deopt_jump(d, i), idx = to > i ? exit_at(d, (u32)to) : V8_NO_POINT;

		if (idx >= 0)
			add_point(d, i, (u32)idx, V8_NO_EXIT, false);
	}
}

static int compare_points(const void *a, const void *b)
{
	const struct v8_point *p = a, *q = b;

	return (p->pc > q->pc) - (p->pc < q->pc);
}

static int read_calls(struct v8_deopt *d)
{
	u32 first = d->h->l->deopt_entries_idx;
	int err = v8_deopt_read_data(d);

	if (err < 0)
		return err;
	if (d->n_data < first || !d->n_data)
		return -EINVAL;
	d->n_entries = (d->n_data - first) / V8_ENTRY_WORDS;
	if (!d->translations)
		err = v8_read_bytes(d->h, d->data[TRANSLATIONS_IDX], &d->translations,
				    &d->translations_len);
	if (err < 0)
		return err;
	d->points = malloc(MAX_POINTS * sizeof(*d->points));
	if (!d->points)
		return -ENOMEM;
	err = add_calls(d);
	qsort(d->points, d->n_points, sizeof(*d->points), compare_points);
	return err;
}

int v8_deopt_read_calls(struct v8_deopt *d)
{
	int err = d->points ? 0 : read_calls(d);

	if (err < 0) {
		free(d->points);
		d->points = NULL;
		d->n_points = 0;
	}
	return err;
}

int v8_deopt_read_checks(struct v8_deopt *d)
{
	int err = d->pieces ? 0 : v8_deopt_read_calls(d);

	if (d->pieces)
		return 0;
	if (!err)
		err = v8_deopt_read_text(d);
	if (err < 0)
		return err;
	d->pieces = malloc(MAX_POINTS * sizeof(*d->pieces));
	if (!d->pieces)
		return -ENOMEM;
	add_pieces(d);
	add_checks(d);
	qsort(d->points, d->n_points, sizeof(*d->points), compare_points);
	return 0;
}
