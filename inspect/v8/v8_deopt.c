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
#include "v8_heap.h"
#include "v8_positions.h"
#include "v8_translation.h"

#define MAX_FRAMES (V8_MAX_NAMES - 1)
#define MAX_TEXT_LEN (1u << 20)
#define MAX_SAFEPOINTS_LEN (64u << 10)
#define MAX_POINTS 65536
#define MAX_HOPS 8
/* Of the search for callers: a crafted heap shall not hold the recorder. */
#define MAX_CALLER_PATHS 4096
#define MAX_CALLER_LOOKUPS 256

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

struct point {
	u32 pc; /* offset of the instruction, of a call that of its last byte */
	u32 idx;
	bool is_call;
};

/* Code out of line. */
struct piece {
	u32 start, from; /* from: the jump to it */
};

struct deopt {
	struct v8_heap *h;
	const struct v8_code *code;
	u64 *data; /* of the deoptimization data */
	u32 n_data, n_entries;
	u8 *translations, *text;
	u32 translations_len, text_len;
	struct point *points; /* by pc */
	u32 n_points;
	struct piece *pieces; /* by start */
	u32 n_pieces;
};

/* The functions at a point, outermost first. */
struct path {
	struct v8_translated frames[MAX_FRAMES];
	int n;
};

static void deopt_deinit(struct deopt *d)
{
	free(d->data);
	free(d->translations);
	free(d->text);
	free(d->points);
	free(d->pieces);
}

static u32 entry(const struct deopt *d, u32 idx, u32 field)
{
	return (u32)v8_smi(d->data[d->h->l->deopt_entries_idx + ENTRY_WORDS * idx + field]);
}

/*
 * An entry repeats the bytecode of the innermost frame: so it is one, and its translation is
 * its own.
 */
static int get_path(const struct deopt *d, const struct point *p, struct path *path)
{
	const struct v8_translated *innermost;

	path->n = v8_translation_read(d->translations, d->translations_len,
				      entry(d, p->idx, ENTRY_TRANSLATION), d->h->l->deopt_form,
				      path->frames, MAX_FRAMES);
	if (path->n < 1)
		return -EINVAL;
	innermost = &path->frames[path->n - 1];
	if (!innermost->is_builtin && !innermost->is_among_stubs &&
	    entry(d, p->idx, ENTRY_BYTECODE) != (u32)innermost->offset)
		return -EINVAL;
	return path->n;
}

/* ---- points ---- */

static void add_point(struct deopt *d, u32 pc, u32 idx, bool is_call)
{
	if (idx < d->n_entries && pc < d->code->len && d->n_points < MAX_POINTS)
		d->points[d->n_points++] = (struct point){ pc, idx, is_call };
}

static int add_calls(struct deopt *d)
{
	const struct v8_layout *l = d->h->l;
	const struct v8_region *region = v8_region_at(d->h, d->code->start_addr);
	_cleanup_free_ u8 *bytes = malloc(MAX_SAFEPOINTS_LEN);
	struct v8_safepoints table;
	u32 off = d->code->len, pc;
	u64 addr, len;
	s32 idx;
	int r;

	if (!bytes || !region)
		return bytes ? -EINVAL : -ENOMEM;
	if (l->code_safepoints) {
		r = v8_read(d->h, d->code->tagged - 1 + l->code_safepoints, &off, sizeof(off));
		if (r < 0 || off > d->code->len)
			return r < 0 ? r : -EINVAL;
	}
	addr = d->code->start_addr + off;
	if (addr >= region->end_addr)
		return -EINVAL;
	len = region->end_addr - addr < MAX_SAFEPOINTS_LEN ? region->end_addr - addr
							   : MAX_SAFEPOINTS_LEN;
	r = v8_read(d->h, addr, bytes, len);
	if (!r)
		r = v8_safepoints_of(bytes, len, l->deopt_form, &table);
	if (r < 0)
		return r;
	for (u32 i = 0; i < table.n; i++) {
		v8_safepoint_get(&table, i, &pc, &idx);
		if (pc && idx >= 0)
			add_point(d, pc - 1, (u32)idx, true);
	}
	return 0;
}

/*
 * Which point's exit begins at @off? V8 12.9 says where they are; in 8.4 (x86-64) an exit is
 * "mov r13, point; call".
 */
static s64 exit_at(const struct deopt *d, u32 off)
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

static s64 jump_at(const struct deopt *d, u32 off)
{
	return v8_jump_at(d->text, d->text_len, off);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

/*
 * Maglev has what is rarely run behind the rest, in pieces that end with a jump back and a
 * trap. The first one begins where a jump leads, after what goes nowhere.
 */
static u32 find_pieces(const struct deopt *d)
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

static void add_pieces(struct deopt *d)
{
	u32 first = find_pieces(d);

	for (u32 i = 0; i + 6 <= d->text_len && d->n_pieces < MAX_POINTS; i++) {
		s64 to = jump_at(d, i);

		if (to > i && to >= first && (to == first || d->text[to - 1] == TRAP) &&
		    exit_at(d, (u32)to) < 0)
			d->pieces[d->n_pieces++] = (struct piece){ (u32)to, i };
	}
	qsort(d->pieces, d->n_pieces, sizeof(*d->pieces), compare_pieces);
}

/* The piece that @off is in, or NULL. */
static const struct piece *piece_at(const struct deopt *d, u32 off)
{
	size_t i = search_first(d->n_pieces, k, d->pieces[k].start <= off);

	return i ? &d->pieces[i - 1] : NULL;
}

/* Points at the jumps to exits, and to pieces with a call. */
static void add_checks(struct deopt *d)
{
	u32 n_calls = d->n_points;

	for (u32 i = 0; i < n_calls; i++) {
		const struct piece *piece = piece_at(d, d->points[i].pc);

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
	const struct point *p = a, *q = b;

	return (p->pc > q->pc) - (p->pc < q->pc);
}

static int deopt_init(struct deopt *d, struct v8_heap *h, const struct v8_code *code)
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
	d->text_len = code->len < MAX_TEXT_LEN ? code->len : MAX_TEXT_LEN;
	d->text = malloc(d->text_len + 1);
	d->points = malloc(MAX_POINTS * sizeof(*d->points));
	d->pieces = malloc(MAX_POINTS * sizeof(*d->pieces));
	if (!d->text || !d->points || !d->pieces)
		return -ENOMEM;
	r = v8_read(h, code->start_addr, d->text, d->text_len);
	if (!r)
		r = add_calls(d);
	if (r < 0)
		return r;
	add_pieces(d);
	add_checks(d);
	qsort(d->points, d->n_points, sizeof(*d->points), compare_points);
	return 0;
}

/* The call that the byte at @off is the last of, or NULL. */
static const struct point *call_at(const struct deopt *d, u32 off)
{
	size_t i = search_first(d->n_points, k, d->points[k].pc < off);

	for (; i < d->n_points && d->points[i].pc == off; i++)
		if (d->points[i].is_call)
			return &d->points[i];
	return NULL;
}

/* ---- functions ---- */

/* @path as functions, leaf first. The outermost has to be the code's own. */
static int give(const struct deopt *d, const struct path *path, struct v8_inlined *out)
{
	u64 literals = d->data[d->h->l->deopt_literals_idx], word;

	for (int i = 0; i < path->n; i++) {
		const struct v8_translated *f = &path->frames[path->n - 1 - i];

		if (f->literal < 0 || v8_array_word(d->h, literals, (u32)f->literal, &word) < 0)
			return -EINVAL;
		out[i] = (struct v8_inlined){ .sfi = v8_unwrap_function(d->h, word),
					      .pos = f->offset,
					      .is_bytecode = true };
		if (!out[i].sfi)
			return -EINVAL;
	}
	return out[path->n - 1].sfi == v8_code_function(d->h, d->code) ? path->n : -EINVAL;
}

/* How many functions both have that were called from the same places. */
static int common(const struct path *a, const struct path *b)
{
	int n = 0;

	while (n < a->n && n < b->n && a->frames[n].literal == b->frames[n].literal &&
	       (!n || a->frames[n - 1].offset == b->frames[n - 1].offset))
		n++;
	return n;
}

/* Out of line, what is meant is where it was jumped from. */
static u32 in_line(const struct deopt *d, u32 off)
{
	const struct piece *piece = piece_at(d, off);

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
static void in_gap(struct path *path, const struct path *next)
{
	int n = common(path, next);

	if (n && n == path->n && path->frames[n - 1].offset == next->frames[n - 1].offset)
		*path = *next;
	else
		path->n = n;
}

/* Before the first point and after the last: all begin and end in the outermost function. */
static int at_edge(const struct deopt *d, struct path *path)
{
	if (get_path(d, &d->points[0], path) < 1)
		return -EINVAL;
	path->n = 1;
	return 0;
}

/* What is at @off, which is no call. */
static int between(const struct deopt *d, u32 off, struct path *path)
{
	size_t after = search_first(d->n_points, i, d->points[i].pc <= off);
	struct path next;

	if (!d->n_points)
		return -ENOENT;
	if (!after || after == d->n_points)
		return at_edge(d, path);
	if (get_path(d, &d->points[after - 1], path) < 1 ||
	    get_path(d, &d->points[after], &next) < 1)
		return -EINVAL;
	if (common(path, &next) < path->n || next.n > path->n)
		in_gap(path, &next);
	return path->n ? 0 : -EINVAL;
}

/* Which point's exit is @off in, or -1. */
static s64 exit_around(const struct deopt *d, u32 off)
{
	return (s64)search_first(d->n_entries, i, entry(d, (u32)i, ENTRY_PC) <= off) - 1;
}

/* Without positions. In an exit it is known where the interpreter goes on. */
static int find_path(const struct deopt *d, u32 off, struct path *path, bool *is_exit)
{
	s64 exit = exit_around(d, off);

	*is_exit = exit >= 0;
	if (!*is_exit)
		return between(d, in_line(d, off), path);
	return get_path(d, &(struct point){ .idx = (u32)exit }, path) < 1 ? -EINVAL : 0;
}

static int expand_call(const struct deopt *d, u32 off, struct v8_inlined *out)
{
	const struct point *call = call_at(d, off);
	struct path path;

	if (!call)
		return 0;
	return get_path(d, call, &path) < 1 ? -EINVAL : give(d, &path, out);
}

bool v8_has_no_positions(const struct v8_heap *h, const struct v8_code *code)
{
	return h->l->maglev_has_no_positions && code->tier == V8_TIER_MAGLEV;
}

int v8_deopt_expand(struct v8_heap *h, const struct v8_code *code, u64 pc, struct v8_inlined *out)
{
	_cleanup_(deopt_deinit) struct deopt d = {};
	u32 off = (u32)(pc - code->start_addr);
	struct path path;
	bool is_exit;
	int r;

	if (!v8_has_no_positions(h, code) && !h->l->calls_have_wrong_positions)
		return 0;
	r = deopt_init(&d, h, code);
	if (!r)
		r = expand_call(&d, off, out);
	if (r || !v8_has_no_positions(h, code))
		return r;
	r = find_path(&d, off, &path, &is_exit);
	if (!r)
		r = give(&d, &path, out);
	if (r > 0)
		out[0].is_anywhere = !is_exit;
	return r;
}

/* ---- callers ---- */

struct tables {
	u8 *tree, *positions;
	u32 tree_len, positions_len;
};

static void tables_deinit(struct tables *t)
{
	free(t->tree);
	free(t->positions);
}

static u64 position_of(const struct tables *t, s32 id)
{
	u64 position;

	memcpy(&position, t->tree + V8_INLINING_ENTRY_LEN * id, sizeof(position));
	return position;
}

/* By @path, whose innermost is the inlined call @id: where the caller of @wanted stands. */
static bool find_call(const struct tables *t, const struct path *path, s32 id, s32 wanted,
		      s32 *offset)
{
	for (int at = path->n - 1; at > 0; at--) {
		s32 function_idx;

		if (id < 0 || (u32)id >= t->tree_len / V8_INLINING_ENTRY_LEN)
			return false;
		memcpy(&function_idx, t->tree + V8_INLINING_ENTRY_LEN * id + 8,
		       sizeof(function_idx));
		if (function_idx < 0) /* the outermost function calls itself */
			function_idx = path->frames[0].literal;
		if (path->frames[at].literal != function_idx || path->frames[at - 1].is_builtin)
			return false;
		if (id == wanted) {
			*offset = path->frames[at - 1].offset;
			return true;
		}
		id = v8_position_inlining(position_of(t, id));
	}
	return false;
}

/* Is it not known that no other inlined call has the position of @id? */
static bool is_shared(const struct tables *t, s32 id)
{
	u32 n = t->tree_len / V8_INLINING_ENTRY_LEN, n_same = 0;

	if ((u32)id >= n || n > MAX_CALLER_PATHS)
		return true;
	for (u32 i = 0; i < n; i++)
		n_same += position_of(t, (s32)i) == position_of(t, id);
	return n_same != 1;
}

/* Where a caller stands by what was found so far. One call with several targets was made several.
 */
struct call {
	bool is_shared; /* its position, with another one */
	s32 offset;
	enum { NO_CALL, ONE_CALL, SEVERAL_CALLS, SURE_CALL } state;
};

/* Points of one inlined call may disagree; then the one counts that V8's position agrees with. */
static void note_call(struct v8_heap *h, struct call *call, const struct v8_inlined *caller,
		      s32 offset, u32 *lookups_left)
{
	u64 data;

	if (call->state == SURE_CALL || (call->state && call->offset == offset))
		return;
	if (!*lookups_left) {
		call->state = SEVERAL_CALLS;
		return;
	}
	--*lookups_left;
	if (!v8_word(h, caller->sfi, h->l->sfi_data, &data) &&
	    v8_bytecode_position(h, v8_bytecode_of(h, data), offset) == caller->pos)
		call->state = SURE_CALL;
	else
		call->state = call->state ? SEVERAL_CALLS : ONE_CALL;
	call->offset = offset;
}

static void take_call(struct v8_inlined *caller, const struct call *call)
{
	if (call->state == ONE_CALL || call->state == SURE_CALL)
		*caller = (struct v8_inlined){ .sfi = caller->sfi,
					       .pos = call->offset,
					       .is_bytecode = true };
	else if (call->state != NO_CALL || call->is_shared)
		caller->why = v8_no_line;
}

static int load_tables(const struct deopt *d, struct tables *t)
{
	const u32 idx = d->h->l->deopt_inlining_idx;
	int r = idx < d->n_data ? v8_read_bytes(d->h, d->data[idx], &t->tree, &t->tree_len)
				: -EINVAL;

	return r ? r : v8_read_bytes(d->h, d->code->positions, &t->positions, &t->positions_len);
}

void v8_deopt_callers(struct v8_heap *h, const struct v8_code *code, const s32 *ids,
		      struct v8_inlined *out, int n)
{
	_cleanup_(deopt_deinit) struct deopt d = {};
	_cleanup_(tables_deinit) struct tables tables = {};
	u32 paths_left = MAX_CALLER_PATHS, lookups_left = MAX_CALLER_LOOKUPS;
	int more = 0, r = deopt_init(&d, h, code);
	struct call calls[MAX_FRAMES] = {};
	struct v8_positions t;
	bool is_spent = false;
	struct path path;
	u64 last = 0;
	s32 offset;

	if (!r)
		r = load_tables(&d, &tables);
	t = v8_positions_of(tables.positions, tables.positions_len, h->l->positions_v14);
	if (!r)
		more = v8_positions_next(&t);
	for (int i = 0; i < n - 1; i++)
		calls[i].is_shared = r || is_shared(&tables, ids[i]);
	for (u32 p = 0; !r && p < d.n_points; p++) {
		for (; more > 0 && t.code <= d.points[p].pc; more = v8_positions_next(&t))
			last = t.position;
		for (int i = 0; i < n - 1; i++)
			if (!calls[i].is_shared && d.points[p].is_call)
				calls[i].is_shared = last == position_of(&tables, ids[i]);
		if (v8_position_inlining(last) < 0)
			continue;
		is_spent = !paths_left--;
		if (is_spent)
			break;
		if (get_path(&d, &d.points[p], &path) < 1)
			continue;
		for (int i = 0; i < n - 1; i++)
			if (find_call(&tables, &path, v8_position_inlining(last), ids[i], &offset))
				note_call(h, &calls[i], &out[i + 1], offset, &lookups_left);
	}
	for (int i = 0; i < n - 1; i++)
		if (is_spent && calls[i].state != SURE_CALL)
			out[i + 1].why = v8_no_line;
		else
			take_call(&out[i + 1], &calls[i]);
}
