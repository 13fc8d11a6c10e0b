/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the call positions of inlined functions if the positions in the position table are wrong.
 * The deoptimization points in inlined code have the right positions, because a point has the
 * positions of all callers of the point's code. TurboFan of V8 8.4 writes wrong positions for calls
 * with several targets, and Maglev from 13.6 on writes wrong positions for loops: in the second
 * copy of a loop, all calls have the position of the loop's start.
 */

#include <errno.h>

#include "v8_bytecode.h"
#include "v8_callers.h"

/* Limits for a hostile heap. */
#define MAX_CALLER_PATHS 4096
#define MAX_CALLER_LOOKUPS 256
#define MAX_CALLER_BYTES (4u << 20) /* total length of translations and position tables */

/* The remainder of the limits while one frame is named. */
struct budget {
	u32 paths, lookups, bytes;
};

static bool spend(struct budget *b, u32 n_bytes)
{
	bool is_enough = n_bytes <= b->bytes;

	b->bytes -= is_enough ? n_bytes : b->bytes;
	return is_enough;
}

/* Finds the bytecode offset of the inlined call @wanted in @path, whose innermost call is @id. */
static bool find_call(const struct v8_deopt *d, const struct v8_path *path, s32 id, s32 wanted,
		      s32 *offset)
{
	for (int at = path->n - 1; at > 0; at--) {
		struct v8_inlining in;

		if (v8_deopt_inlining(d, id, &in) < 0)
			return false;
		if (in.function_idx < 0) /* the outermost function calls itself */
			in.function_idx = path->frames[0].literal;
		if (path->frames[at].literal != in.function_idx || path->frames[at - 1].is_builtin)
			return false;
		if (id == wanted) {
			*offset = path->frames[at - 1].offset;
			return true;
		}
		id = v8_position_inlining(in.position);
	}
	return false;
}

#define UNREADABLE (~0ull)

/* The position of the inlined call @id, or UNREADABLE. */
static u64 position_of(const struct v8_deopt *d, s32 id)
{
	struct v8_inlining in = { .position = UNREADABLE };

	v8_deopt_inlining(d, id, &in);
	return in.position;
}

/* Can another inlined call have the same position as the call @id? */
static bool is_shared(const struct v8_deopt *d, s32 id)
{
	u32 n_same = 0;

	if ((u32)id >= d->n_inlined || d->n_inlined > MAX_CALLER_PATHS)
		return true;
	for (u32 i = 0; i < d->n_inlined; i++)
		n_same += position_of(d, (s32)i) == position_of(d, id);
	return n_same != 1;
}

/*
 * The position of a call, as far as it is known. V8 compiles a call with several targets to several
 * calls.
 */
struct call {
	bool is_shared; /* another call has the same position */
	s32 offset;
	enum { NO_CALL, ONE_CALL, SEVERAL_CALLS, SURE_CALL } state;
};

/* Returns the length of the position table of @bytecode, or 0 if there is no table. */
static u32 positions_len(struct v8_heap *h, u64 bytecode)
{
	u64 table, addr;
	u32 len;

	if (v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0 ||
	    v8_byte_array(h, table, &addr, &len) < 0)
		return 0;
	return len;
}

/*
 * Records a call's position according to one point. If points disagree, the position that V8's
 * table has is chosen.
 */
static void note_call(struct v8_heap *h, struct call *call, const struct v8_inlined *caller,
		      s32 offset, struct budget *left)
{
	u64 data, bytecode = 0;

	if (call->state == SURE_CALL || (call->state && call->offset == offset))
		return;
	if (left->lookups && !v8_word(h, caller->sfi, h->l->sfi_data, &data))
		bytecode = v8_bytecode_of(h, data);
	if (!left->lookups || !spend(left, positions_len(h, bytecode))) {
		call->state = SEVERAL_CALLS;
		return;
	}
	left->lookups--;
	if (v8_bytecode_position(h, bytecode, offset) == caller->pos)
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

/* Iteration over all points, with the entry of the position table at the current point. */
struct walk {
	const struct v8_deopt *d;
	const s32 *ids;
	int n_calls;
	struct call *calls;
	struct v8_positions t;
	int more;
	u64 last;
};

static void note_point(struct walk *w, const struct v8_point *p)
{
	for (; w->more > 0 && w->t.code <= p->pc; w->more = v8_positions_next(&w->t))
		w->last = w->t.position;
	for (int i = 0; i < w->n_calls; i++)
		if (!w->calls[i].is_shared && p->is_call)
			w->calls[i].is_shared = w->last == position_of(w->d, w->ids[i]);
}

/* Iterates over all points. Returns false if a limit was reached. */
static bool walk_points(struct walk *w, const struct v8_inlined *out)
{
	struct budget left = { MAX_CALLER_PATHS, MAX_CALLER_LOOKUPS, MAX_CALLER_BYTES };
	const struct v8_deopt *d = w->d;
	struct v8_path path;
	s32 offset;

	for (u32 p = 0; p < d->n_points; p++) {
		if (d->code->tier == V8_TIER_MAGLEV && v8_deopt_piece(d, d->points[p].pc))
			continue;
		note_point(w, &d->points[p]);
		if (v8_position_inlining(w->last) < 0)
			continue;
		if (!left.paths--)
			return false;
		v8_deopt_path(d, &d->points[p], &path);
		if (!spend(&left, path.len))
			return false;
		for (int i = 0; i < w->n_calls; i++)
			if (find_call(d, &path, v8_position_inlining(w->last), w->ids[i], &offset))
				note_call(d->h, &w->calls[i], &out[i + 1], offset, &left);
	}
	return true;
}

void v8_deopt_callers(struct v8_deopt *d, const s32 *ids, struct v8_inlined *out, int n)
{
	int err = v8_lacks_deferred(d->h, d->code) ? -ENOTSUP : v8_deopt_read_checks(d);
	struct call calls[V8_DEOPT_FRAMES] = {};
	struct walk w = { .d = d, .ids = ids, .n_calls = n - 1, .calls = calls };
	bool is_whole = true;

	for (int i = 0; i < n - 1; i++)
		calls[i].is_shared = err || is_shared(d, ids[i]);
	if (!err) {
		w.t = d->positions;
		w.more = v8_positions_next(&w.t);
		is_whole = walk_points(&w, out);
	}
	for (int i = 0; i < n - 1; i++)
		if (!is_whole && calls[i].state != SURE_CALL)
			out[i + 1].why = v8_no_line;
		else
			take_call(&out[i + 1], &calls[i]);
}
