/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names compiled functions, baseline and optimized, by the Code at the pc. The Code must belong to
 * the function; the Code also has the inlined functions.
 */

#include <errno.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"
#include "v8_compiled.h"
#include "v8_location.h"
#include "v8_out_of_line.h"
#include "v8_probe.h"
#include "v8_site.h"

#define VIA_SHIFT 60 /* above all addresses */

static void query_deinit(struct v8_query *q)
{
	v8_deopt_deinit(&q->d);
}

/* If the position is unknown but the whole function is on one line, sets that line. */
static void locate_anywhere(struct v8_heap *h, struct v8_function *f, struct v8_name *name)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_name at = *name;
	struct v8_positions t;
	bool has_table = !v8_bytecode_positions(h, v8_function_bytecode(h, f), &bytes, &t);
	u32 line = 0;

	while (has_table && v8_positions_next(&t) > 0) {
		at.line = 0;
		v8_locate(h, f, v8_position_offset(t.position), &at);
		if (!at.line || (line && at.line != line)) {
			line = 0;
			break;
		}
		line = at.line;
	}
	name->line = line;
	if (!line)
		v8_give_reason(name, v8_no_line);
}

static void name_one(struct v8_heap *h, struct v8_function *f, const struct v8_inlined *in,
		     struct v8_name *name)
{
	s32 pos = in->pos;

	if (in->is_anywhere) {
		locate_anywhere(h, f, name);
		return;
	}
	if (in->is_bytecode)
		pos = v8_bytecode_position(h, v8_function_bytecode(h, f), pos);
	if (in->why)
		v8_give_reason(name, in->why);
	else
		v8_locate(h, f, pos, name);
}

static int name_all(struct v8_heap *h, const struct uw_sample *s, const struct v8_location *at,
		    struct v8_name *names)
{
	for (int i = 0; i < at->n; i++) {
		struct v8_function *f = v8_function_get(h, at->functions[i].sfi, s->time_ns);

		if (!f)
			return 0;
		v8_name_function(h, f, &names[i]);
		names[i].inlined = i < at->n - 1;
		name_one(h, f, &at->functions[i], &names[i]);
	}
	return at->n;
}

/* Makes the names for a query. Returns their number, or -ENOENT. */
static int name_at(const struct uw_sample *s, struct v8_function *f, struct v8_query *q,
		   struct v8_name *names)
{
	struct v8_heap *h = q->d.h;
	const struct v8_location *at = &q->at;
	int n;

	q->at.off = q->off;
	n = v8_location_find(q);
	if (n < 0)
		return n;
	n = name_all(h, s, at, names);
	if (!n) {
		v8_name_function(h, f, names);
		n = v8_give_reason(names, at->n ? v8_unreadable : at->reason);
	}
	for (int i = 0; i < n; i++)
		names[i].tier = q->is_cleared && !at->is_own ? V8_TIER_NONE : q->d.code->tier;
	return n;
}

/* Does this code belong to the function? */
static bool belongs(struct v8_heap *h, const struct v8_code *code, const struct v8_function *f,
		    u64 bytecode)
{
	if (code->tier != V8_TIER_BASELINE)
		return v8_code_function(h, code) == f->tagged;
	return bytecode && bytecode == v8_baseline_bytecode(h, code, f->tagged);
}

/* May names be cached? Only if nothing is missing that could be found later. */
static bool is_complete(const struct v8_name *names, int n, bool is_read)
{
	for (int i = 0; i < n; i++)
		if (names[i].reason &&
		    !(is_read && (names[i].reason == v8_no_line || names[i].reason == v8_no_exit)))
			return false;
	return true;
}

int v8_name_compiled(struct v8_heap *h, const struct uw_sample *s, struct v8_function *f, u64 pc,
		     enum v8_via via, struct v8_name *names)
{
	struct v8_site like = { .function = f,
				.kind = V8_SITE_COMPILED,
				.generation = f->generation,
				.where = pc | (u64)via << VIA_SHIFT };
	const struct v8_site *site = v8_site_find(h, V8_SITE_COMPILED, f, like.where, s->time_ns);
	_cleanup_(query_deinit) struct v8_query q = { .d = { h, &like.code }, .via = via };
	u32 n_failed = h->n_failed;
	int n;

	if (site)
		return v8_site_give(site, names);
	if (v8_code_find(h, pc, &like.code) < 0)
		return -ENOENT;
	v8_look(h);
	if (!v8_code_same(h, &like.code))
		return -ENOENT;
	like.valid_ns = h->looked_ns;
	q.sfi = f->tagged;
	q.bytecode = v8_function_bytecode(h, f);
	q.off = (u32)(pc - like.code.start_addr);
	if (!belongs(h, &like.code, f, q.bytecode)) {
		q.is_cleared = v8_code_is_cleared(h, &like.code);
		return q.is_cleared ? name_at(s, f, &q, names) : -ESTALE;
	}
	if (!v8_function_has_lines(h, f) || !v8_probe_code(h, &like.code)) {
		v8_name_function(h, f, names);
		return v8_give_reason(names, V8_MISFIT);
	}
	n = name_at(s, f, &q, names);
	if (n > 0 && is_complete(names, n, h->n_failed == n_failed))
		v8_site_add(h, &like, names, n);
	return n;
}
