/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Where optimized code is, by what V8 keeps to leave it: each call, and each check that may
 * fail, is a deoptimization point, whose translation (v8_translation.c) tells the functions
 * and bytecodes there, of inlined functions, too. V8 makes Error.stack of it.
 *
 *	instructions		  deoptimization data	   translations
 *	  call f      <- safepoint ---.
 *	  ...			       +-> point { pc of its exit, translation } -> functions
 *	  jo exit     -> exit --------'
 *
 * A point tells where a call is. A check's may lag: V8 goes back to the last bytecode before it
 * after which nothing has happened, so it tells the functions, and not the line. What is no
 * point lies between two of them: what was inlined is in one piece, so the functions that both
 * tell are there, and a line only if a function is all on one. What was inlined and has neither
 * call nor check is not seen.
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
#define MAX_HOPS 8

/* DeoptimizationData (v8/src/objects/code.h at 8.4, deoptimization-data.h at 12.9.202) */
#define TRANSLATIONS_IDX 0
#define ENTRY_WORDS 3
#define ENTRY_BYTECODE 0
#define ENTRY_TRANSLATION 1
#define ENTRY_PC 2 /* of its exit */

#define TRAP 0xcc
#define RET 0xc3
#define RET_N 0xc2

const char v8_no_line[] = "this code does not tell its line";

void v8_deopt_deinit(struct v8_deopt *d)
{
	free(d->data);
	free(d->translations);
	free(d->text);
	free(d->points);
	free(d->pieces);
}

static u32 entry(const struct v8_deopt *d, u32 idx, u32 field)
{
	return (u32)v8_smi(d->data[d->h->l->deopt_entries_idx + ENTRY_WORDS * idx + field]);
}

int v8_deopt_path(const struct v8_deopt *d, const struct v8_point *p, struct v8_path *path)
{
	const struct v8_translated *innermost;

	path->n = v8_translation_read(d->translations, d->translations_len,
				      entry(d, p->idx, ENTRY_TRANSLATION), d->h->l->deopt_form,
				      path->frames, V8_DEOPT_FRAMES, &path->len);
	if (path->n < 1)
		return -EINVAL;
	innermost = &path->frames[path->n - 1];
	if (!innermost->is_builtin && !innermost->is_among_stubs &&
	    entry(d, p->idx, ENTRY_BYTECODE) != (u32)innermost->offset)
		return -EINVAL;
	return path->n;
}

/* ---- points ---- */

static void add_point(struct v8_deopt *d, u32 pc, u32 idx, bool is_call)
{
	if (idx < d->n_entries && pc < d->code->len && d->n_points < MAX_POINTS)
		d->points[d->n_points++] = (struct v8_point){ pc, idx, is_call };
}

/* @table borrows from *bytes, to be freed. */
static int read_safepoints(struct v8_heap *h, const struct v8_code *code, u8 **bytes,
			   struct v8_safepoints *table)
{
	const struct v8_region *region = v8_region_at(h, code->start_addr);
	u32 off = code->len;
	u64 addr, len;
	int r;

	*bytes = malloc(MAX_SAFEPOINTS_LEN);
	if (!*bytes || !region)
		return *bytes ? -EINVAL : -ENOMEM;
	if (h->l->code_safepoints) {
		r = v8_read(h, code->tagged - 1 + h->l->code_safepoints, &off, sizeof(off));
		if (r < 0 || off > code->len)
			return r < 0 ? r : -EINVAL;
	}
	addr = code->start_addr + off;
	if (addr >= region->end_addr)
		return -EINVAL;
	len = region->end_addr - addr < MAX_SAFEPOINTS_LEN ? region->end_addr - addr
							   : MAX_SAFEPOINTS_LEN;
	r = v8_read(h, addr, *bytes, len);
	return r < 0 ? r : v8_safepoints_of(*bytes, len, h->l->deopt_form, table);
}

static int add_calls(struct v8_deopt *d)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_safepoints table;
	int r = read_safepoints(d->h, d->code, &bytes, &table);

	for (u32 i = 0; !r && i < table.n; i++) {
		struct v8_safepoint call = v8_safepoint_get(&table, i);

		if (call.pc && call.point >= 0)
			add_point(d, call.pc - 1, (u32)call.point, true);
	}
	return r;
}

u32 v8_deopt_call(struct v8_heap *h, const struct v8_code *code, u32 exit)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_safepoints table;
	int r = read_safepoints(h, code, &bytes, &table);

	for (u32 i = 0; !r && i < table.n; i++) {
		struct v8_safepoint call = v8_safepoint_get(&table, i);

		if (call.exit == (s32)exit && call.pc <= code->len)
			return call.pc;
	}
	return 0;
}

/*
 * Which point's exit begins at @off? V8 12.9 says where they are; in 8.4 (x86-64) an exit is
 * "mov r13, point; call".
 */
static s64 exit_at(const struct v8_deopt *d, u32 off)
{
	static const u8 mov_r13[] = { 0x49, 0xc7, 0xc5 };
	u32 idx;
	size_t i;

	if (d->h->l->deopt_form == V8_DEOPT_8_4) {
		if (off + 8 > d->text_len || memcmp(d->text + off, mov_r13, sizeof(mov_r13)) ||
		    d->text[off + 7] != 0xe8)
			return -1;
		memcpy(&idx, d->text + off + 3, sizeof(idx));
		return idx;
	}
	i = search_first(d->n_entries, k, entry(d, (u32)k, ENTRY_PC) < off);
	return i < d->n_entries && entry(d, (u32)i, ENTRY_PC) == off ? (s64)i : -1;
}

s64 v8_jump_at(const u8 *text, u32 len, u32 off)
{
	const u8 *p = text + off;
	bool is_jcc = off + 6 <= len && p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
	s64 to;
	s32 rel;

	if (off + 6 > len || (!is_jcc && p[0] != 0xe9))
		return -1;
	memcpy(&rel, p + 1 + is_jcc, sizeof(rel));
	to = (s64)off + 5 + is_jcc + rel;
	return to >= 0 && to < len ? to : -1;
}

static s64 jump_at(const struct v8_deopt *d, u32 off)
{
	return v8_jump_at(d->text, d->text_len, off);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct v8_piece *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

/*
 * Maglev has what is rarely run behind the rest, in pieces that end with a jump back and a
 * trap. The first one begins where a jump leads, after what goes nowhere.
 */
static u32 find_pieces(const struct v8_deopt *d)
{
	u32 first_end = d->text_len, start = d->text_len;
	const u8 *t = d->text;
	s64 to;

	for (u32 i = 0; i + 6 <= d->text_len; i++) {
		to = jump_at(d, i);
		if (t[i] == 0xe9 && t[i + 5] == TRAP && to >= 0 && to < i) {
			first_end = i;
			break;
		}
	}
	for (u32 i = 0; i + 6 <= first_end; i++) {
		to = jump_at(d, i);
		if (to > i && to <= first_end && (start == d->text_len || to > start) &&
		    (t[to - 1] == RET || (to >= 3 && t[to - 3] == RET_N) ||
		     (to >= 5 && t[to - 5] == 0xe9)))
			start = (u32)to;
	}
	return start;
}

static void add_pieces(struct v8_deopt *d)
{
	u32 first = find_pieces(d);

	for (u32 i = 0; i + 6 <= d->text_len && d->n_pieces < MAX_POINTS; i++) {
		s64 to = jump_at(d, i);

		if (to > i && to >= first && (to == first || d->text[to - 1] == TRAP) &&
		    exit_at(d, (u32)to) < 0)
			d->pieces[d->n_pieces++] = (struct v8_piece){ (u32)to, i };
	}
	qsort(d->pieces, d->n_pieces, sizeof(*d->pieces), compare_pieces);
}

/* The piece that @off is in, or NULL. */
static const struct v8_piece *piece_at(const struct v8_deopt *d, u32 off)
{
	size_t i = search_first(d->n_pieces, k, d->pieces[k].start <= off);

	return i ? &d->pieces[i - 1] : NULL;
}

/* Points at the jumps to exits, and to pieces with a call. */
static void add_checks(struct v8_deopt *d)
{
	u32 n_calls = d->n_points;

	for (u32 i = 0; i < n_calls; i++) {
		const struct v8_piece *piece = piece_at(d, d->points[i].pc);

		if (piece)
			add_point(d, piece->from, d->points[i].idx, true);
	}
	for (u32 i = 0; i + 6 <= d->text_len; i++) {
		s64 to = jump_at(d, i), idx = to > i ? exit_at(d, (u32)to) : -1;

		if (idx >= 0)
			add_point(d, i, (u32)idx, false);
	}
}

static int compare_points(const void *a, const void *b)
{
	const struct v8_point *p = a, *q = b;

	return (p->pc > q->pc) - (p->pc < q->pc);
}

int v8_deopt_init(struct v8_deopt *d, struct v8_heap *h, const struct v8_code *code)
{
	u32 first = h->l->deopt_entries_idx;
	int r;

	d->h = h;
	d->code = code;
	r = v8_array_words(h, code->deopt, &d->data, &d->n_data);
	if (r < 0)
		return r;
	if (d->n_data < first)
		return -EINVAL;
	d->n_entries = (d->n_data - first) / ENTRY_WORDS;
	r = v8_read_bytes(h, d->data[TRANSLATIONS_IDX], &d->translations, &d->translations_len);
	if (r < 0)
		return r;
	d->points = malloc(MAX_POINTS * sizeof(*d->points));
	if (!d->points)
		return -ENOMEM;
	r = add_calls(d);
	qsort(d->points, d->n_points, sizeof(*d->points), compare_points);
	return r;
}

int v8_deopt_follow(struct v8_deopt *d)
{
	int r;

	d->text_len = d->code->len < MAX_TEXT_LEN ? d->code->len : MAX_TEXT_LEN;
	d->text = malloc(d->text_len + 1);
	d->pieces = malloc(MAX_POINTS * sizeof(*d->pieces));
	if (!d->text || !d->pieces)
		return -ENOMEM;
	r = v8_read(d->h, d->code->start_addr, d->text, d->text_len);
	if (r < 0)
		return r;
	add_pieces(d);
	add_checks(d);
	qsort(d->points, d->n_points, sizeof(*d->points), compare_points);
	return 0;
}

bool v8_deopt_is_out_of_line(const struct v8_deopt *d, u32 off)
{
	return piece_at(d, off);
}

/* The call that the byte at @off is the last of, or NULL. */
static const struct v8_point *call_at(const struct v8_deopt *d, u32 off)
{
	size_t i = search_first(d->n_points, k, d->points[k].pc < off);

	for (; i < d->n_points && d->points[i].pc == off; i++)
		if (d->points[i].is_call)
			return &d->points[i];
	return NULL;
}

/* ---- functions ---- */

/*
 * @path as functions, leaf first. The outermost has to be the code's own. What goes on in a
 * builtin that Maglev has inlined bears its caller's function, and is left out.
 */
static int give(const struct v8_deopt *d, const struct v8_path *path, struct v8_inlined *out)
{
	u64 literals = d->data[d->h->l->deopt_literals_idx], word;
	int n = 0;

	for (int i = path->n - 1; i >= 0; i--) {
		const struct v8_translated *f = &path->frames[i];

		if (i && f->is_builtin && f->literal == f[-1].literal)
			continue;
		if (f->literal < 0 || v8_array_word(d->h, literals, (u32)f->literal, &word) < 0)
			return -EINVAL;
		out[n] = (struct v8_inlined){ .sfi = v8_unwrap_function(d->h, word),
					      .pos = f->offset,
					      .is_bytecode = true };
		if (!out[n++].sfi)
			return -EINVAL;
	}
	return out[n - 1].sfi == v8_code_function(d->h, d->code) ? n : -EINVAL;
}

/* How many functions both have that were called from the same places. */
static int common(const struct v8_path *a, const struct v8_path *b)
{
	int n = 0;

	while (n < a->n && n < b->n && a->frames[n].literal == b->frames[n].literal &&
	       (!n || a->frames[n - 1].offset == b->frames[n - 1].offset))
		n++;
	return n;
}

/* Out of line, what is meant is where it was jumped from. */
static u32 in_line(const struct v8_deopt *d, u32 off)
{
	const struct v8_piece *piece = piece_at(d, off);

	for (int i = 0; piece && i < MAX_HOPS; i++) {
		off = piece->from;
		piece = piece_at(d, off);
	}
	return off;
}

/*
 * The functions in the gap between two points where only a part of the functions of both is
 * the same: that part, or, where it just called what is next, all of @next.
 */
static void in_gap(struct v8_path *path, const struct v8_path *next)
{
	int n = common(path, next);

	if (n && n == path->n && path->frames[n - 1].offset == next->frames[n - 1].offset)
		*path = *next;
	else
		path->n = n;
}

/* Before the first point and after the last: all begin and end in the outermost function. */
static int at_edge(const struct v8_deopt *d, struct v8_path *path)
{
	if (v8_deopt_path(d, &d->points[0], path) < 1)
		return -EINVAL;
	path->n = 1;
	return 0;
}

/* What is at @off, which is no call. */
static int between(const struct v8_deopt *d, u32 off, struct v8_path *path)
{
	size_t after = search_first(d->n_points, i, d->points[i].pc <= off);
	struct v8_path next;

	if (!d->n_points)
		return -ENOENT;
	if (!after || after == d->n_points)
		return at_edge(d, path);
	if (v8_deopt_path(d, &d->points[after - 1], path) < 1 ||
	    v8_deopt_path(d, &d->points[after], &next) < 1)
		return -EINVAL;
	if (common(path, &next) < path->n || next.n > path->n)
		in_gap(path, &next);
	return path->n ? 0 : -EINVAL;
}

/* Which point's exit is @off in, or -1. */
static s64 exit_around(const struct v8_deopt *d, u32 off)
{
	return (s64)search_first(d->n_entries, i, entry(d, (u32)i, ENTRY_PC) <= off) - 1;
}

/* Without positions. In an exit it is known where the interpreter goes on. */
static int find_path(const struct v8_deopt *d, u32 off, struct v8_path *path, bool *is_exit)
{
	s64 exit = exit_around(d, off);

	*is_exit = exit >= 0;
	if (!*is_exit)
		return between(d, in_line(d, off), path);
	return v8_deopt_path(d, &(struct v8_point){ .idx = (u32)exit }, path) < 1 ? -EINVAL : 0;
}

static int expand_call(const struct v8_deopt *d, u32 off, struct v8_inlined *out)
{
	const struct v8_point *call = call_at(d, off);
	struct v8_path path;

	if (!call)
		return 0;
	return v8_deopt_path(d, call, &path) < 1 ? -EINVAL : give(d, &path, out);
}

bool v8_has_no_positions(const struct v8_heap *h, const struct v8_code *code)
{
	return h->l->lacks[code->tier] & V8_NO_POSITIONS;
}

static bool has_pieces(const struct v8_heap *h, const struct v8_code *code)
{
	return h->l->lacks[code->tier] & V8_NO_DEFERRED;
}

bool v8_has_wrong_positions(const struct v8_heap *h, const struct v8_code *code)
{
	return h->l->lacks[code->tier] & (V8_NO_CALLS | V8_NO_DEFERRED);
}

bool v8_has_unknown_pieces(const struct v8_heap *h, const struct v8_code *code)
{
	return has_pieces(h, code) && (!h->l->deopt_form || !h->build->is_x86_64);
}

int v8_deopt_expand(struct v8_heap *h, const struct v8_code *code, u64 *pc, struct v8_inlined *out)
{
	_cleanup_(v8_deopt_deinit) struct v8_deopt d = {};
	u32 off = (u32)(*pc - code->start_addr);
	struct v8_path path;
	bool is_exit;
	int r;

	if (!v8_has_no_positions(h, code) && !v8_has_wrong_positions(h, code))
		return 0;
	r = v8_deopt_init(&d, h, code);
	if (!r && !has_pieces(h, code))
		r = v8_deopt_follow(&d);
	if (!r)
		r = expand_call(&d, off, out);
	if (!r && has_pieces(h, code) && h->build->is_x86_64) {
		r = v8_deopt_follow(&d);
		*pc = code->start_addr + in_line(&d, off);
	}
	if (r || !v8_has_no_positions(h, code))
		return r;
	r = find_path(&d, off, &path, &is_exit);
	if (!r)
		r = give(&d, &path, out);
	if (r > 0)
		out[0].is_anywhere = !is_exit;
	return r;
}
