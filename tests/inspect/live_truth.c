/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "live_truth.h"

const char *const place_names[N_PLACES] = { "leaf", "between", "window" };

static bool same_text(const char *a, json_t *b)
{
	return json_is_string(b) ? a && !strcmp(a, json_string_value(b)) : !a || !a[0];
}

static bool same_name(const struct v8_name *seen, json_t *truth)
{
	json_t *name = json_object_get(truth, "name");

	/* Without a name of its own V8 may infer one, which the truth does not tell. */
	return json_is_string(name) ? same_text(seen->name, name) : seen->name != NULL;
}

static bool same_frame(const struct v8_name *seen, json_t *truth)
{
	return same_name(seen, truth) && same_text(seen->file, json_object_get(truth, "file")) &&
	       seen->line == json_integer_value(json_object_get(truth, "line"));
}

/* Array.map and its like have no entry in V8's tables where they were inlined. */
static bool may_be_missing(json_t *truth, const struct v8_name *above)
{
	return json_is_null(json_object_get(truth, "file")) && above->inlined;
}

static bool is_optimized(const struct v8_name *seen)
{
	return seen->tier == V8_TIER_MAGLEV || seen->tier == V8_TIER_TURBOFAN;
}

/*
 * Are all frames but the top one the last frames of a true stack? @top: the one
 * above them there. @c: the columns that were compared on the way.
 */
static bool ends_like(const struct seen *s, json_t *stack, json_t **top, struct columns *c)
{
	size_t j = json_array_size(stack);

	*c = (struct columns){};
	for (size_t i = s->n; i-- > 1;) {
		json_t *truth = j ? json_array_get(stack, --j) : NULL;

		/* Error.stack hides some builtins (a module's start by generator). */
		if (truth && s->names[i].kind == V8_NAME_BUILTIN &&
		    !same_frame(&s->names[i], truth)) {
			j++;
			continue;
		}
		if (truth && !same_name(&s->names[i], truth) && may_be_missing(truth, &s->names[i]))
			truth = j ? json_array_get(stack, --j) : NULL;
		if (!truth || !same_frame(&s->names[i], truth))
			return false;
		c->n[is_optimized(&s->names[i])]++;
		c->n_off[is_optimized(&s->names[i])] +=
			s->names[i].column != json_integer_value(json_object_get(truth, "column"));
	}
	*top = j ? json_array_get(stack, j - 1) : NULL;
	return j > 0;
}

static bool same_top(const struct v8_name *seen, json_t *truth, enum place place)
{
	if (place == WINDOW && !seen->name)
		return true;
	return same_name(seen, truth) && same_text(seen->file, json_object_get(truth, "file"));
}

static bool is_true(struct tally *t, const struct seen *s, json_t *stacks, enum place place)
{
	struct columns c, best = { .n_off = { MAX_SEEN, 0 } };
	json_t *stack, *top;
	size_t i;

	json_array_foreach(stacks, i, stack)
	{
		if (!ends_like(s, stack, &top, &c) || !same_top(&s->names[0], top, place))
			continue;
		if (place == LEAF && top != json_array_get(stack, 0))
			continue;
		if (c.n_off[0] + c.n_off[1] < best.n_off[0] + best.n_off[1])
			best = c;
	}
	if (best.n_off[0] == MAX_SEEN)
		return false;
	for (i = 0; i < 2; i++) {
		t->columns.n[i] += best.n[i];
		t->columns.n_off[i] += best.n_off[i];
	}
	return true;
}

static bool leaf_line_is_true(struct tally *t, const struct v8_name *leaf, json_t *truth)
{
	if (!leaf->line)
		return leaf->reason != NULL;
	if (leaf->line < json_integer_value(json_object_get(truth, "first")) ||
	    leaf->line > json_integer_value(json_object_get(truth, "last")))
		return false;
	t->leaf_located++;
	if (leaf->line < MAX_SEEN_LINE && !t->line_seen[leaf->line]) {
		t->line_seen[leaf->line] = true;
		t->distinct_lines++;
	}
	return true;
}

/* Map.set and its like, called by the leaf, have frames but are not told by the truth. */
static void drop_leading_builtins(struct seen *s)
{
	size_t n = 0;

	while (n < s->n && s->names[n].kind == V8_NAME_BUILTIN)
		n++;
	s->n -= n;
	memmove(s->names, s->names + n, s->n * sizeof(s->names[0]));
}

/* "node:timers"; "internal/timers.js" up to Node.js 15. */
static bool is_nodes_own(const char *file)
{
	return !strncmp(file, "node:", 5) || (file[0] != '/' && !strchr(file, ':'));
}

static bool is_oracle(const char *file)
{
	return strstr(file, "/oracle.js");
}

/* Does the oracle call main() there, by a true stack? */
static bool calls_program(const struct v8_name *seen, json_t *truth)
{
	json_t *stack, *frame;
	size_t i, j;

	json_array_foreach(json_object_get(truth, "stacks"), i, stack)
	{
		json_array_foreach(stack, j, frame)
		{
			if (same_frame(seen, frame) &&
			    seen->column == json_integer_value(json_object_get(frame, "column")))
				return true;
		}
	}
	return false;
}

/* No frame of the program, which is only below Node.js' own where one of these is wrong. */
static bool is_elsewhere(const struct seen *s, json_t *truth)
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

bool truth_judge(struct tally *t, struct seen *s, json_t *truth)
{
	json_t *leaf = json_object_get(truth, "leaf"), *stacks = json_object_get(truth, "stacks");
	enum place place = BETWEEN;
	bool ok;

	drop_leading_builtins(s);
	if (is_elsewhere(s, truth)) {
		*(s->n || !s->is_cut ? &t->elsewhere : &t->cut) += 1;
		return true;
	}
	if (s->is_window)
		place = WINDOW;
	else if (same_text(s->names[0].name, json_object_get(leaf, "name")))
		place = LEAF;
	ok = is_true(t, s, stacks, place) &&
	     (place != LEAF || leaf_line_is_true(t, &s->names[0], leaf));
	*(ok ? &t->exact[place] : &t->wrong[place]) += 1;
	for (size_t i = 0; i < s->n; i++) {
		t->tiers[s->names[i].tier]++;
		t->inlined += s->names[i].inlined;
	}
	return ok;
}

static bool may_be(const struct v8_name *seen, json_t *truth, bool is_top)
{
	return same_name(seen, truth) &&
	       (is_top || !seen->line ||
		seen->line == json_integer_value(json_object_get(truth, "line")));
}

static bool is_subsequence(const struct seen *s, json_t *stack)
{
	size_t j = 0, m = json_array_size(stack);

	for (size_t i = 0; i < s->n; i++) {
		/* Of a builtin the truth may know nothing. */
		if (!s->names[i].name || s->names[i].kind == V8_NAME_BUILTIN)
			continue;
		while (j < m && !may_be(&s->names[i], json_array_get(stack, j), j == 0))
			j++;
		if (j++ == m)
			return false;
	}
	return true;
}

bool truth_allows(const struct seen *s, json_t *truth)
{
	json_t *stack;
	size_t i;

	if (is_elsewhere(s, truth))
		return true;
	json_array_foreach(json_object_get(truth, "stacks"), i,
			   stack) if (is_subsequence(s, stack)) return true;
	return false;
}

static bool accepts(const struct seen *s, json_t *truth)
{
	static struct seen copy; /* it is cut at the top */
	struct tally t = {};

	copy = *s;
	return truth_judge(&t, &copy, truth) && !t.cut;
}

/* Has a true stack a frame of this name, or, if @name is NULL, one without a name? */
static bool is_named(const char *name, json_t *truth)
{
	json_t *stack, *frame;
	size_t i, j;

	json_array_foreach(json_object_get(truth, "stacks"), i, stack)
	{
		json_array_foreach(stack, j, frame)
		{
			json_t *other = json_object_get(frame, "name");

			if (json_is_string(other) ? name && same_text(name, other) : !name)
				return true;
		}
	}
	return false;
}

/* The outermost frame that the truth names, below the top one; 0: there is none. */
static size_t outermost_named(const struct seen *s, json_t *truth)
{
	size_t i = s->n - 1;

	while (i && (s->names[i].kind == V8_NAME_BUILTIN || !is_named(s->names[i].name, truth)))
		i--;
	return i;
}

int truth_accepts_faults(const struct seen *s, json_t *truth)
{
	static struct seen bad;
	size_t caller;
	int n = 0;

	if (s->n < 2 || is_elsewhere(s, truth))
		return 0;
	bad = *s; /* all frames are lost */
	bad.n = 0;
	bad.is_cut = true;
	n += accepts(&bad, truth);
	bad = *s; /* the leaf is another function */
	bad.names[0].name = "somebody";
	bad.names[0].kind = V8_NAME_JS;
	/* The truth does not know which name V8 infers for a function without one. */
	n += !is_named(NULL, truth) && accepts(&bad, truth);
	bad.names[0].file = "node:events"; /* and Node.js' own: elsewhere if nothing is below */
	n += !is_elsewhere(&bad, truth) && accepts(&bad, truth);
	bad = *s; /* a caller's name is another's */
	caller = outermost_named(s, truth);
	bad.names[caller].name = "somebody";
	return n + (caller && accepts(&bad, truth));
}

json_t *truth_spoil(json_t *truth, const char *key)
{
	json_t *copy = json_deep_copy(truth), *stack, *frame;
	size_t i, j;

	json_array_foreach(json_object_get(copy, "stacks"), i, stack)
		json_array_foreach(stack, j, frame) json_object_set_new(
			frame, key,
			json_integer(1 + json_integer_value(json_object_get(frame, key))));
	return copy;
}
