/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names of compiled functions, baseline and optimized: by the Code that the pc is in, which has
 * to be the function's own. What was inlined comes from it, too.
 */

#include <errno.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "v8_bytecode.h"
#include "v8_compiled.h"
#include "v8_deopt.h"
#include "v8_exit.h"
#include "v8_location.h"
#include "v8_positions.h"
#include "v8_probe.h"
#include "v8_resumed.h"
#include "v8_site.h"

/* Where it is in the function is not known: it has a line if the function is all on one. */
static void locate_anywhere(struct v8_heap *h, struct v8_function *f, struct v8_name *name)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_name at = *name;
	struct v8_positions t;
	u32 len, line = 0;
	u64 table;

	if (!v8_word(h, v8_function_bytecode(h, f), h->l->bytecode_positions, &table) &&
	    !v8_read_bytes(h, table, &bytes, &len)) {
		t = v8_positions_of(bytes, len, h->l->positions_v14);
		while (v8_positions_next(&t) > 0) {
			at.line = 0;
			v8_locate(h, f, v8_position_offset(t.position), &at);
			if (!at.line || (line && at.line != line)) {
				line = 0;
				break;
			}
			line = at.line;
		}
	}
	name->line = line;
	if (!line)
		v8_give_reason(name, v8_no_line);
}

static int expand(struct v8_heap *h, const struct uw_sample *s, const struct v8_code *code, u64 pc,
		  struct v8_name *names)
{
	struct v8_inlined inlined[V8_MAX_NAMES - 1];
	int n = v8_code_expand(h, code, pc, inlined);

	for (int i = 0; i < n; i++) {
		struct v8_function *f = v8_function_get(h, inlined[i].sfi, s->time_ns);

		if (!f)
			return -EINVAL;
		v8_name_function(h, f, &names[i]);
		names[i].tier = code->tier;
		names[i].inlined = i < n - 1;
		if (inlined[i].why)
			v8_give_reason(&names[i], inlined[i].why);
		else if (inlined[i].is_anywhere)
			locate_anywhere(h, f, &names[i]);
		else if (inlined[i].is_bytecode)
			v8_locate(
				h, f,
				v8_bytecode_position(h, v8_function_bytecode(h, f), inlined[i].pos),
				&names[i]);
		else
			v8_locate(h, f, inlined[i].pos, &names[i]);
	}
	return n;
}

static int name_baseline(struct v8_heap *h, const struct v8_code *code, struct v8_function *f,
			 u64 pc, struct v8_name *names)
{
	u64 bytecode = v8_baseline_bytecode(h, code, f->tagged);
	int offset;

	v8_name_function(h, f, names);
	names->tier = V8_TIER_BASELINE;
	offset = v8_baseline_offset(h, code, bytecode, pc);
	if (offset < -1)
		return v8_give_reason(names, "the bytecode offset table is unreadable");
	v8_locate(h, f, v8_bytecode_position(h, bytecode, (s32)offset), names);
	return 1;
}

/* Is this code the function's own? */
static bool belongs(struct v8_heap *h, const struct v8_code *code, struct v8_function *f)
{
	u64 bytecode;

	if (code->tier != V8_TIER_BASELINE)
		return v8_code_function(h, code) == f->tagged;
	bytecode = v8_baseline_bytecode(h, code, f->tagged);
	return bytecode && bytecode == v8_function_bytecode(h, f);
}

/*
 * Code that was thrown out since: it counts as the function's where it has one of the
 * function's own positions. What was inlined there can't be told any more, nor what led to an
 * exit: where the position may be another's, there is no line.
 */
static int name_cleared(struct v8_heap *h, const struct v8_code *code, struct v8_function *f,
			u64 pc, struct v8_name *names)
{
	s32 pos = v8_code_cleared_position(h, code, v8_function_bytecode(h, f), pc);
	bool is_misplaced = code->tier == V8_TIER_MAGLEV && v8_has_wrong_positions(h, code);

	if (!v8_code_is_cleared(h, code))
		return -ESTALE;
	v8_name_function(h, f, names);
	if (pos >= 0)
		names->tier = code->tier;
	if (pos < 0 || is_misplaced || v8_exit_may_be_at(h, code, pc))
		return v8_give_reason(names, "its code was thrown out meanwhile");
	v8_locate(h, f, pos, names);
	return 1;
}

int v8_name_given_up(struct v8_heap *h, const struct v8_function *f, const struct v8_code *code,
		     struct v8_name *names)
{
	v8_name_function(h, f, names);
	names->tier = code->tier;
	return v8_give_reason(names, v8_no_exit);
}

/*
 * Sets *at if the call that returns to @ra allocates out of line: before where its code goes on,
 * where another position may begin. false: unreadable.
 */
static bool go_back(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *at)
{
	u32 n_failed = h->n_failed;
	u64 to = v8_code_allocated(h, code, ra);

	if (to)
		*at = to - 1;
	return h->n_failed == n_failed;
}

int v8_name_compiled(struct v8_heap *h, const struct uw_sample *s, struct v8_function *f, u64 pc,
		     struct v8_name *names)
{
	struct v8_site like = {
		.function = f, .kind = V8_SITE_COMPILED, .generation = f->generation, .where = pc
	};
	const struct v8_site *site = v8_site_find(h, V8_SITE_COMPILED, f, pc, s->time_ns);
	u32 n_failed = h->n_failed;
	int n, complete = 0;
	u64 at = pc;

	if (site)
		return v8_site_give(site, names);
	if (v8_code_find(h, pc, &like.code) < 0)
		return -ENOENT;
	v8_look(h);
	if (!v8_code_same(h, &like.code))
		return -ENOENT;
	like.valid_ns = h->looked_ns;
	if (!belongs(h, &like.code, f))
		return name_cleared(h, &like.code, f, pc, names);
	if (!v8_function_has_lines(h, f) || !v8_probe_code(h, &like.code)) {
		v8_name_function(h, f, names);
		return v8_give_reason(names, V8_MISFIT);
	}
	if (v8_exit_waits(h, &like.code, pc + 1, &at) && !at) {
		n = v8_name_given_up(h, f, &like.code, names);
		if (h->n_failed == n_failed)
			v8_site_add(h, &like, names, n);
		return n;
	}
	if (like.code.tier == V8_TIER_BASELINE) {
		n = name_baseline(h, &like.code, f, at, names);
	} else {
		n = -EFAULT;
		if (go_back(h, &like.code, pc + 1, &at))
			n = expand(h, s, &like.code, at, names);
		if (n < 1) {
			v8_name_function(h, f, names);
			names->tier = like.code.tier;
			return v8_give_reason(names, "the inlined functions are unreadable");
		}
	}
	for (int i = 0; i < n; i++)
		complete += !names[i].reason ||
			    (names[i].reason == v8_no_line && h->n_failed == n_failed);
	if (complete == n)
		v8_site_add(h, &like, names, n);
	return n;
}
