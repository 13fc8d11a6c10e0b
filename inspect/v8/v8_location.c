/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the functions and positions of a pc in compiled code. Several resolvers are called in
 * order, the most exact first. A resolver may replace the offset by the offset of another
 * instruction with the same position; the next resolvers use the new offset.
 */

#include <errno.h>
#include <stdint.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "v8_bytecode.h"
#include "v8_callers.h"
#include "v8_location.h"
#include "v8_out_of_line.h"

static bool is_read_by_points(const struct v8_query *q)
{
	return v8_code_is_optimized(q->d.code) && !q->is_cleared && q->d.h->l->deopt_form;
}

/* ---- deoptimization points ---- */

/* Returns the call whose last byte is at @off, or NULL. */
static const struct v8_point *call_at(const struct v8_deopt *d, u32 off)
{
	size_t i = search_first(d->n_points, k, d->points[k].pc < off);

	for (; i < d->n_points && d->points[i].pc == off; i++)
		if (d->points[i].is_call)
			return &d->points[i];
	return NULL;
}

/*
 * Answers with the functions of @path, leaf first. The outermost must be the function that was
 * compiled. In @path, a builtin that Maglev has inlined has its caller's function; such an entry is
 * omitted.
 */
static enum v8_verdict answer(struct v8_query *q, const struct v8_path *path)
{
	int n = 0;

	q->at.reason = v8_unreadable;
	for (int i = path->n - 1; i >= 0; i--) {
		const struct v8_translated *f = &path->frames[i];

		if (i && f->is_builtin && f->literal == f[-1].literal)
			continue;
		q->at.functions[n] =
			(struct v8_inlined){ .sfi = v8_deopt_function(&q->d, f->literal),
					     .pos = f->offset,
					     .is_bytecode = true };
		if (!q->at.functions[n++].sfi)
			return V8_GIVES_UP;
	}
	if (n < 1 || q->at.functions[n - 1].sfi != q->sfi)
		return V8_GIVES_UP;
	q->at.n = n;
	return V8_ANSWERS;
}

static bool has_unsure_calls(const struct v8_query *q)
{
	return is_read_by_points(q) &&
	       v8_lacks(q->d.h, q->d.code, V8_NO_POSITIONS | V8_NO_CALLS | V8_NO_DEFERRED);
}

static enum v8_verdict resolve_safepoint(struct v8_query *q)
{
	struct v8_deopt *d = &q->d;
	const struct v8_point *call;
	struct v8_path path;
	int err = v8_lacks(d->h, d->code, V8_NO_DEFERRED) ? v8_deopt_read_calls(d)
							  : v8_deopt_read_checks(d);

	q->at.reason = v8_unreadable;
	if (err < 0)
		return V8_GIVES_UP;
	call = call_at(d, q->at.off);
	if (call)
		return v8_deopt_path(d, call, &path) < 1 ? V8_GIVES_UP : answer(q, &path);
	q->at.reason = "no deoptimization point";
	return V8_DECLINES;
}

/*
 * Returns how many of the outermost functions are the same in both paths and called at the same
 * positions.
 */
static int common(const struct v8_path *a, const struct v8_path *b)
{
	int n = 0;

	while (n < a->n && n < b->n && a->frames[n].literal == b->frames[n].literal &&
	       (!n || a->frames[n - 1].offset == b->frames[n - 1].offset))
		n++;
	return n;
}

/*
 * Sets @path to the functions of the code between the points of @path and @next. These are the
 * functions that both paths have; but if @next's further functions are called at the position of
 * @path's point, these are all functions of @next.
 */
static void in_gap(struct v8_path *path, const struct v8_path *next)
{
	int n = common(path, next);

	if (n && n == path->n && path->frames[n - 1].offset == next->frames[n - 1].offset)
		*path = *next;
	else
		path->n = n;
}

/* Code before the first point and after the last belongs to the outermost function. */
static int at_edge(const struct v8_deopt *d, struct v8_path *path)
{
	if (v8_deopt_path(d, &d->points[0], path) < 1)
		return -EINVAL;
	path->n = 1;
	return 0;
}

/* Finds the functions at @off, which is not a call. */
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

/* Returns the point whose exit contains @off, or V8_NO_POINT. */
static s64 exit_around(const struct v8_deopt *d, u32 off)
{
	return (s64)search_first(d->n_entries, i, v8_deopt_entry(d, (u32)i, V8_ENTRY_PC) <= off) -
	       1;
}

static bool has_no_positions(const struct v8_query *q)
{
	return is_read_by_points(q) && v8_lacks(q->d.h, q->d.code, V8_NO_POSITIONS);
}

/*
 * Answers with the functions of the points around the offset. At an exit, the position is that of
 * the bytecode at which the interpreter resumes.
 */
static enum v8_verdict resolve_points(struct v8_query *q)
{
	struct v8_deopt *d = &q->d;
	s64 exit = exit_around(d, q->at.off);
	enum v8_verdict verdict;
	struct v8_path path;

	q->at.reason = v8_unreadable;
	if (exit >= 0 ? v8_deopt_path(d, &(struct v8_point){ .idx = (u32)exit }, &path) < 1
		      : between(d, q->at.off, &path) < 0)
		return V8_GIVES_UP;
	verdict = answer(q, &path);
	if (verdict == V8_ANSWERS)
		q->at.functions[0].is_anywhere = exit < 0;
	return verdict;
}

/* ---- tables of positions ---- */

static bool is_baseline(const struct v8_query *q)
{
	return q->d.code->tier == V8_TIER_BASELINE;
}

static void add(struct v8_query *q, const struct v8_inlined *f)
{
	q->at.functions[q->at.n++] = *f;
}

static enum v8_verdict resolve_baseline(struct v8_query *q)
{
	int offset = v8_baseline_offset(q->d.h, q->d.code, q->bytecode, q->at.off);

	q->at.reason = "bytecode offset table unreadable";
	if (offset < V8_FUNCTION_ENTRY)
		return V8_DECLINES;
	add(q, &(struct v8_inlined){ .sfi = q->sfi, .pos = offset, .is_bytecode = true });
	return V8_ANSWERS;
}

static bool is_optimized(const struct v8_query *q)
{
	return v8_code_is_optimized(q->d.code);
}

/*
 * V8 has cleared the deoptimization data of discarded code, which described the inlined functions
 * and the exits. So a position is used only if it is one of the function's own, and neither an
 * inlined function nor an exit can be at the offset.
 */
static enum v8_verdict resolve_cleared(struct v8_query *q)
{
	struct v8_heap *h = q->d.h;
	bool is_misplaced = q->d.code->tier == V8_TIER_MAGLEV &&
			    v8_lacks(h, q->d.code, V8_NO_CALLS | V8_NO_DEFERRED);
	u64 pos;
	s32 offset = V8_NO_SCRIPT_OFFSET;

	q->at.reason = "code discarded";
	if (v8_deopt_position(&q->d, q->at.off, &pos) >= 0 && v8_position_inlining(pos) < 0)
		offset = v8_position_offset(pos);
	if (offset < 0 || !v8_bytecode_has_position(h, q->bytecode, offset))
		return V8_DECLINES;
	q->at.is_own = true;
	if (is_misplaced || v8_exit_may_be_at(q))
		return V8_DECLINES;
	add(q, &(struct v8_inlined){ .sfi = q->sfi, .pos = offset });
	return V8_ANSWERS;
}

/* Follows the inlined calls from @pos to the outermost function. */
static enum v8_verdict expand(struct v8_query *q, u64 pos)
{
	struct v8_deopt *d = &q->d;
	s32 ids[V8_MAX_NAMES];
	struct v8_inlining in;

	q->at.reason = v8_unreadable;
	while (v8_position_inlining(pos) >= 0) {
		struct v8_inlined f = { .sfi = q->sfi, .pos = v8_position_offset(pos) };

		ids[q->at.n] = v8_position_inlining(pos);
		if (q->at.n == V8_MAX_NAMES - 2 || v8_deopt_read_tree(d) < 0 ||
		    v8_deopt_inlining(d, ids[q->at.n], &in) < 0)
			return V8_GIVES_UP;
		if (in.function_idx >= 0)
			f.sfi = v8_deopt_function(d, in.function_idx);
		if (!f.sfi)
			return V8_GIVES_UP;
		add(q, &f);
		pos = in.position;
	}
	add(q, &(struct v8_inlined){ .sfi = q->sfi, .pos = v8_position_offset(pos) });
	if (v8_lacks_deferred(d->h, d->code) && !d->h->l->deopt_form)
		q->at.functions[0].why = v8_no_line;
	if (q->at.n > 1 && v8_lacks(d->h, d->code, V8_NO_CALLS | V8_NO_DEFERRED))
		v8_deopt_callers(d, ids, q->at.functions, q->at.n);
	return V8_ANSWERS;
}

static enum v8_verdict resolve_position(struct v8_query *q)
{
	struct v8_deopt *d = &q->d;
	u64 pos, last;
	int err;

	if (q->is_cleared)
		return resolve_cleared(q);
	err = v8_deopt_position(d, q->at.off, &pos);
	if (err == -ERANGE) {
		add(q, &(struct v8_inlined){
			       .sfi = q->sfi, .pos = V8_FUNCTION_ENTRY, .is_bytecode = true });
		return V8_ANSWERS;
	}
	if (err == -ENOENT) {
		add(q, &(struct v8_inlined){ .sfi = q->sfi, .pos = V8_NO_SCRIPT_OFFSET });
		return V8_ANSWERS;
	}
	q->at.reason = v8_no_line;
	if (!err && v8_lacks_deferred(d->h, d->code)) {
		err = v8_deopt_position(d, INT64_MAX, &last);
		if (!err && pos == last) /* the code after the last entry is deferred code */
			return V8_DECLINES;
	}
	q->at.reason = v8_unreadable;
	return err < 0 ? V8_GIVES_UP : expand(q, pos);
}

/* ---- all of them ---- */

static enum v8_verdict resolve_function(struct v8_query *q)
{
	add(q,
	    &(struct v8_inlined){ .sfi = q->sfi, .pos = V8_NO_SCRIPT_OFFSET, .why = q->at.reason });
	return V8_ANSWERS;
}

static bool is_by_deoptimizer(const struct v8_query *q)
{
	return q->via >= V8_VIA_DEOPT;
}

static bool may_be_given_up(const struct v8_query *q)
{
	return is_optimized(q) && !q->is_cleared && !q->at.is_moved;
}

static bool may_be_deferred(const struct v8_query *q)
{
	return is_optimized(q) || q->via == V8_VIA_DEFERRED;
}

static bool applies_always(const struct v8_query *q)
{
	(void)q;
	return true;
}

static const struct v8_resolver {
	const char *name;
	bool (*applies)(const struct v8_query *q);
	const char *unless; /* the reason that is reported if the resolver does not apply */
	enum v8_verdict (*resolve)(struct v8_query *q);
} resolvers[] = {
	{ "eager deoptimization", is_by_deoptimizer, "the code at pc did not call the deoptimizer",
	  v8_resolve_eager },
	{ "lazy deoptimization", may_be_given_up,
	  "the code has no deoptimization exit to return to, or the exit was already found",
	  v8_resolve_lazy },
	{ "safepoint", has_unsure_calls, "the position table has the right positions for calls",
	  resolve_safepoint },
	{ "deferred code", may_be_deferred, "baseline code has no deferred code",
	  v8_resolve_deferred },
	{ "points around it", has_no_positions, "the code has a position table", resolve_points },
	{ "bytecode offset table", is_baseline, "only baseline code has a bytecode offset table",
	  resolve_baseline },
	{ "position table", is_optimized, "only optimized code has such a position table",
	  resolve_position },
	{ "whole function", applies_always, NULL, resolve_function },
};

static void report_verdict(const struct v8_query *q, enum v8_verdict verdict, const char *reason)
{
	static const char *const verdicts[] = {
		[V8_DECLINES] = "declines",	 [V8_MOVES] = "moves",
		[V8_ANSWERS] = "answers",	 [V8_GIVES_UP] = "gives up",
		[V8_MEANS_NOTHING] = "declines",
	};
	const bool has_reason = verdict != V8_MOVES && verdict != V8_ANSWERS;

	if (q->d.h->on_resolver)
		q->d.h->on_resolver(q->d.h->resolver_ctx,
				    &(struct v8_asked){ .resolver = q->at.how,
							.verdict = verdicts[verdict],
							.reason = has_reason ? reason : NULL,
							.pc = q->d.code->start_addr + q->at.off });
}

int v8_location_find(struct v8_query *q)
{
	enum v8_verdict verdict = V8_DECLINES;

	for (size_t i = 0; verdict < V8_ANSWERS && i < sizeof(resolvers) / sizeof(*resolvers);
	     i++) {
		const struct v8_resolver *r = &resolvers[i];

		q->at.how = r->name;
		if (!r->applies(q)) {
			report_verdict(q, V8_DECLINES, r->unless);
			continue;
		}
		verdict = r->resolve(q);
		q->at.is_moved |= verdict == V8_MOVES;
		report_verdict(q, verdict, q->at.reason);
	}
	if (verdict == V8_GIVES_UP)
		q->at.n = 0;
	return verdict == V8_MEANS_NOTHING ? -ENOENT : 0;
}
