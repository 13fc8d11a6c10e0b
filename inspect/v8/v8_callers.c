/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Where inlined functions are called, in code whose position table has the wrong places for it:
 * by the deoptimization points in what is inlined, which tell all that called it. So it is where
 * TurboFan of V8 8.4 compiles a call that has several targets, and in Maglev's loops from 13.6 on:
 * of the second copy of a loop all calls are where the loop begins.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"
#include "v8_callers.h"
#include "v8_deopt.h"
#include "v8_positions.h"

/* A crafted heap shall not hold the recorder. */
#define MAX_CALLER_PATHS 4096
#define MAX_CALLER_LOOKUPS 256
#define MAX_CALLER_BYTES (4u << 20) /* of translations and position tables */

/* What is left for one name. */
struct budget {
	u32 paths, lookups, bytes;
};

static bool spend(struct budget *b, u32 n_bytes)
{
	bool is_enough = n_bytes <= b->bytes;

	b->bytes -= is_enough ? n_bytes : b->bytes;
	return is_enough;
}

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
static bool find_call(const struct tables *t, const struct v8_path *path, s32 id, s32 wanted,
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

/* Where a caller stands by what was found so far. One call of several targets was made several. */
struct call {
	bool is_shared; /* its position, with another one */
	s32 offset;
	enum { NO_CALL, ONE_CALL, SEVERAL_CALLS, SURE_CALL } state;
};

/* The bytes of the position table at @bytecode, 0: there is none. */
static u32 positions_len(struct v8_heap *h, u64 bytecode)
{
	u64 table, addr;
	u32 len;

	if (v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0 ||
	    v8_byte_array(h, table, &addr, &len) < 0)
		return 0;
	return len;
}

/* Points of one inlined call may disagree; then the one counts that V8's position agrees with. */
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

static int load_tables(const struct v8_deopt *d, struct tables *t)
{
	const u32 idx = d->h->l->deopt_inlining_idx;
	int r = idx < d->n_data ? v8_read_bytes(d->h, d->data[idx], &t->tree, &t->tree_len)
				: -EINVAL;

	return r ? r : v8_read_bytes(d->h, d->code->positions, &t->positions, &t->positions_len);
}

void v8_deopt_callers(struct v8_heap *h, const struct v8_code *code, const s32 *ids,
		      struct v8_inlined *out, int n)
{
	_cleanup_(v8_deopt_deinit) struct v8_deopt d = {};
	_cleanup_(tables_deinit) struct tables tables = {};
	struct budget left = { MAX_CALLER_PATHS, MAX_CALLER_LOOKUPS, MAX_CALLER_BYTES };
	int more = 0;
	int r = v8_has_unknown_pieces(h, code) ? -ENOTSUP : v8_deopt_init(&d, h, code);
	bool is_maglev = code->tier == V8_TIER_MAGLEV;
	struct call calls[V8_DEOPT_FRAMES] = {};
	struct v8_positions t = {};
	bool is_spent = false;
	struct v8_path path;
	u64 last = 0;
	s32 offset;

	if (!r)
		r = v8_deopt_follow(&d);
	if (!r)
		r = load_tables(&d, &tables);
	if (!r) {
		t = v8_positions_of(tables.positions, tables.positions_len, h->l->positions_v14);
		more = v8_positions_next(&t);
	}
	for (int i = 0; i < n - 1; i++)
		calls[i].is_shared = r || is_shared(&tables, ids[i]);
	for (u32 p = 0; !r && p < d.n_points; p++) {
		for (; more > 0 && t.code <= d.points[p].pc; more = v8_positions_next(&t))
			last = t.position;
		if (is_maglev && v8_deopt_is_out_of_line(&d, d.points[p].pc))
			continue;
		for (int i = 0; i < n - 1; i++)
			if (!calls[i].is_shared && d.points[p].is_call)
				calls[i].is_shared = last == position_of(&tables, ids[i]);
		if (v8_position_inlining(last) < 0)
			continue;
		is_spent = !left.paths--;
		if (is_spent)
			break;
		v8_deopt_path(&d, &d.points[p], &path);
		is_spent = !spend(&left, path.len);
		if (is_spent)
			break;
		for (int i = 0; i < n - 1; i++)
			if (find_call(&tables, &path, v8_position_inlining(last), ids[i], &offset))
				note_call(h, &calls[i], &out[i + 1], offset, &left);
	}
	for (int i = 0; i < n - 1; i++)
		if (is_spent && calls[i].state != SURE_CALL)
			out[i + 1].why = v8_no_line;
		else
			take_call(&out[i + 1], &calls[i]);
}
