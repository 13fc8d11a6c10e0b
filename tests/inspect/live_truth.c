/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "live_truth.h"

const char *const place_names[N_PLACES] = { "leaf", "between", "window" };

static bool same_text(const char *seen, const char *truth)
{
	return truth ? seen && !strcmp(seen, truth) : !seen || !seen[0];
}

static bool same_name(const struct v8_name *seen, const struct truth_frame *truth)
{
	/*
	 * V8's heap may have an inferred name for an unnamed function; the true stack has no
	 * inferred names.
	 */
	return truth->name ? same_text(seen->name, truth->name) : seen->name != NULL;
}

static bool same_frame(const struct v8_name *seen, const struct truth_frame *truth)
{
	return seen->line == truth->line && same_name(seen, truth) &&
	       same_text(seen->file, truth->file);
}

/* If Array.map or a similar builtin is inlined, V8's tables have no entry for it. */
static bool may_be_missing(const struct truth_frame *truth, const struct v8_name *above)
{
	return !truth->file && above->inlined;
}

static bool is_optimized(const struct v8_name *seen)
{
	return seen->tier == V8_TIER_MAGLEV || seen->tier == V8_TIER_TURBOFAN;
}

/*
 * Are all frames except the top one equal to the outermost frames of @stack? @top: the frame of
 * @stack that these frames called. @c: counts of compared columns.
 */
static bool ends_like(const struct seen *s, const struct truth_stack *stack,
		      const struct truth_frame **top, struct columns *c)
{
	size_t j = stack->n;

	*c = (struct columns){};
	for (size_t i = s->n; i-- > 1;) {
		const struct truth_frame *truth = j ? &stack->frames[--j] : NULL;

		/*
		 * Error.stack omits some builtins, for example the generator function that starts a
		 * module.
		 */
		if (truth && s->names[i].kind == V8_NAME_BUILTIN &&
		    !same_frame(&s->names[i], truth)) {
			j++;
			continue;
		}
		if (truth && !same_name(&s->names[i], truth) && may_be_missing(truth, &s->names[i]))
			truth = j ? &stack->frames[--j] : NULL;
		if (!truth || !same_frame(&s->names[i], truth))
			return false;
		c->n[is_optimized(&s->names[i])]++;
		c->n_off[is_optimized(&s->names[i])] += s->names[i].column != truth->column;
	}
	*top = j ? &stack->frames[j - 1] : NULL;
	return j > 0;
}

static bool same_top(const struct v8_name *seen, const struct truth_frame *truth, enum place place)
{
	if (place == WINDOW && !seen->name)
		return true;
	return same_name(seen, truth) && same_text(seen->file, truth->file);
}

static bool is_true(struct tally *t, const struct seen *s, const struct truth *truth,
		    enum place place)
{
	struct columns c, best = { .n_off = { MAX_SEEN, 0 } };
	const struct truth_frame *top;

	for (size_t i = 0; i < truth->n; i++) {
		const struct truth_stack *stack = &truth->stacks[i];

		if (!ends_like(s, stack, &top, &c) || !same_top(&s->names[0], top, place))
			continue;
		if (place == LEAF && top != stack->frames)
			continue;
		if (c.n_off[0] + c.n_off[1] < best.n_off[0] + best.n_off[1])
			best = c;
	}
	if (best.n_off[0] == MAX_SEEN)
		return false;
	for (int i = 0; i < 2; i++) {
		t->columns.n[i] += best.n[i];
		t->columns.n_off[i] += best.n_off[i];
	}
	return true;
}

static bool leaf_line_is_true(struct tally *t, const struct v8_name *leaf,
			      const struct truth *truth)
{
	if (!leaf->line)
		return leaf->reason != NULL;
	if (leaf->line < truth->leaf_first || leaf->line > truth->leaf_last)
		return false;
	t->leaf_located++;
	if (leaf->line < MAX_SEEN_LINE && !t->line_seen[leaf->line]) {
		t->line_seen[leaf->line] = true;
		t->distinct_lines++;
	}
	return true;
}

/* Removes builtins like Map.set at the top: they have frames, but the true stack omits them. */
static void drop_leading_builtins(struct seen *s)
{
	size_t n = 0;

	while (n < s->n && s->names[n].kind == V8_NAME_BUILTIN)
		n++;
	s->n -= n;
	memmove(s->names, s->names + n, s->n * sizeof(s->names[0]));
}

/* Is it a file of Node.js itself: "node:timers", or "internal/timers.js" before Node.js 16? */
static bool is_nodes_own(const char *file)
{
	return !strncmp(file, "node:", 5) || (file[0] != '/' && !strchr(file, ':'));
}

static bool is_oracle(const char *file)
{
	return strstr(file, "/oracle.js");
}

/* Does a true stack have the oracle's call of main() at this position? */
static bool calls_program(const struct v8_name *seen, const struct truth *truth)
{
	for (size_t i = 0; i < truth->n; i++)
		for (size_t j = 0; j < truth->stacks[i].n; j++) {
			const struct truth_frame *frame = &truth->stacks[i].frames[j];

			if (seen->column == frame->column && same_frame(seen, frame))
				return true;
		}
	return false;
}

/* Are all frames those of builtins, Node.js itself or the oracle, without a call of main()? */
static bool is_elsewhere(const struct seen *s, const struct truth *truth)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct v8_name *n = &s->names[i];

		if (!n->file ? n->kind == V8_NAME_JS
			     : !is_nodes_own(n->file) && !is_oracle(n->file))
			return false;
		if (i && n->file && is_oracle(n->file) && calls_program(n, truth))
			return false;
	}
	return true;
}

bool truth_judge(struct tally *t, struct seen *s, const struct truth *truth)
{
	enum place place = BETWEEN;
	bool ok;

	drop_leading_builtins(s);
	if (is_elsewhere(s, truth)) {
		*(s->n || !s->is_cut ? &t->elsewhere : &t->cut) += 1;
		return true;
	}
	if (s->is_window)
		place = WINDOW;
	else if (same_text(s->names[0].name, truth->leaf))
		place = LEAF;
	ok = is_true(t, s, truth, place) &&
	     (place != LEAF || leaf_line_is_true(t, &s->names[0], truth));
	*(ok ? &t->exact[place] : &t->wrong[place]) += 1;
	for (size_t i = 0; i < s->n; i++) {
		t->tiers[s->names[i].tier]++;
		t->inlined += s->names[i].inlined;
	}
	return ok;
}

static bool may_be(const struct v8_name *seen, const struct truth_frame *truth, bool is_top)
{
	return same_name(seen, truth) && (is_top || !seen->line || seen->line == truth->line);
}

static bool is_subsequence(const struct seen *s, const struct truth_stack *stack)
{
	size_t j = 0;

	for (size_t i = 0; i < s->n; i++) {
		/* A builtin in the stack may be missing in the true stack. */
		if (!s->names[i].name || s->names[i].kind == V8_NAME_BUILTIN)
			continue;
		while (j < stack->n && !may_be(&s->names[i], &stack->frames[j], j == 0))
			j++;
		if (j++ == stack->n)
			return false;
	}
	return true;
}

bool truth_allows(const struct seen *s, const struct truth *truth)
{
	if (is_elsewhere(s, truth))
		return true;
	for (size_t i = 0; i < truth->n; i++)
		if (is_subsequence(s, &truth->stacks[i]))
			return true;
	return false;
}

static bool accepts(const struct seen *s, const struct truth *truth)
{
	static struct seen copy; /* a copy, since truth_judge() removes frames at the top */
	struct tally t = {};

	copy = *s;
	return truth_judge(&t, &copy, truth) && !t.cut;
}

/*
 * Does a true stack have a frame with the name @name, or if @name is NULL, a frame without a name?
 */
static bool is_named(const char *name, const struct truth *truth)
{
	for (size_t i = 0; i < truth->n; i++)
		for (size_t j = 0; j < truth->stacks[i].n; j++) {
			const char *other = truth->stacks[i].frames[j].name;

			if (other ? name && !strcmp(name, other) : !name)
				return true;
		}
	return false;
}

/* Index of the outermost frame below the top one whose name is in a true stack; 0: none. */
static size_t outermost_named(const struct seen *s, const struct truth *truth)
{
	size_t i = s->n - 1;

	while (i && (s->names[i].kind == V8_NAME_BUILTIN || !is_named(s->names[i].name, truth)))
		i--;
	return i;
}

int truth_accepts_faults(const struct seen *s, const struct truth *truth)
{
	static struct seen bad;
	size_t caller;
	int n = 0;

	if (s->n < 2 || is_elsewhere(s, truth))
		return 0;
	bad = *s; /* stack without any frame */
	bad.n = 0;
	bad.is_cut = true;
	n += accepts(&bad, truth);
	bad = *s; /* the leaf has another function's name */
	bad.names[0].name = "somebody";
	bad.names[0].kind = V8_NAME_JS;
	/* No true stack has the name that V8 infers for an unnamed function. */
	n += !is_named(NULL, truth) && accepts(&bad, truth);
	bad.names[0].file = "node:events"; /* Node.js' own: "elsewhere" unless below is a frame of
					      the program */
	n += !is_elsewhere(&bad, truth) && accepts(&bad, truth);
	bad = *s; /* a caller has the name of another frame */
	caller = outermost_named(s, truth);
	bad.names[caller].name = "somebody";
	return n + (caller && accepts(&bad, truth));
}
