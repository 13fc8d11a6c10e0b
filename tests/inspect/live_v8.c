/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names, lines and columns of V8 frames against live Node.js processes, with the
 * program's own Error.captureStackTrace as the truth (fixtures/node/oracle.js).
 *
 *	live_v8                             all versions in $UNSPOOL_NODE_DIR
 *	live_v8 NODE STOPS SCRIPT [FLAG]... one run, each wrong stack printed
 *
 * A stop in the program's leaf is exact if every frame above the leaf has the
 * true name, file and line, and the leaf's line is one of the leaf's. A stop
 * between (in another function under main) is exact if the callers of the top
 * frame are the last frames of a true stack. A window is a stop at which the top
 * frame did not exist yet: it may stay without a name, but not get a wrong one.
 *
 * Columns are counted, not demanded: for some calls V8's optimizing compiler
 * records another part of the expression than its bytecode does.
 */

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "live_node.h"

#define MAX_SEEN 512
#define STOPS 120

struct seen {
	struct v8_name names[MAX_SEEN];
	char text[MAX_SEEN][256]; /* copies of the names: a heap keeps them for one call only */
	char files[MAX_SEEN][256];
	size_t n;
	bool is_window; /* frame 0 was caught without its frame */
};

enum place { LEAF, BETWEEN, WINDOW, N_PLACES };
static const char *const place_names[] = { "leaf", "between", "window" };

struct tally {
	int exact[N_PLACES], wrong[N_PLACES], elsewhere;
	int lines_in_leaf, distinct_lines, tiers[5], inlined, columns, columns_off;
	bool line_seen[4096];
};

static void keep(struct seen *s, const struct v8_name *name)
{
	if (s->n == MAX_SEEN || name->kind == V8_NAME_STUB)
		return;
	s->names[s->n] = *name;
	snprintf(s->text[s->n], sizeof(s->text[0]), "%s", name->name ? name->name : "");
	snprintf(s->files[s->n], sizeof(s->files[0]), "%s", name->file ? name->file : "");
	s->names[s->n].name = name->name ? s->text[s->n] : NULL;
	s->names[s->n].file = name->file ? s->files[s->n] : NULL;
	s->n++;
}

static int name_all(struct live_node *node, struct seen *seen)
{
	const struct uw_sample *s = &node->walk.sample;
	struct v8_name names[V8_MAX_NAMES];

	seen->n = 0;
	seen->is_window = false;
	for (u32 i = 0; i < s->n_frames; i++) {
		int n, from = 0;

		if (s->frames[i].kind != UW_V8_JS && s->frames[i].kind != UW_V8_CODE &&
		    s->frames[i].kind != UW_V8_STUB)
			continue;
		n = v8_heap_name(node->heap, s, i, names);
		if (n < 0)
			return n;
		/* A builtin without a frame of its own is no part of a JavaScript stack. */
		if (i == 0 && names[0].kind == V8_NAME_BUILTIN &&
		    (n > 1 || s->frames[0].kind == UW_V8_CODE))
			from = 1;
		else if (i == 0 && s->frames[0].kind == UW_V8_CODE)
			seen->is_window = names[0].kind == V8_NAME_JS;
		for (int j = from; j < n; j++)
			keep(seen, &names[j]);
	}
	return 0;
}

/* ---- truth ---- */

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

/*
 * Are all frames but the top one the last frames of a true stack? @top: the one
 * above them there. Counts columns on the way.
 */
static bool ends_like(const struct seen *s, json_t *stack, json_t **top, int *columns_off)
{
	size_t j = json_array_size(stack);

	*columns_off = 0;
	for (size_t i = s->n; i-- > 1;) {
		json_t *truth = j ? json_array_get(stack, --j) : NULL;

		/* Error.stack hides some builtins (a module's start by generator). */
		if (truth && s->names[i].kind == V8_NAME_BUILTIN && !same_name(&s->names[i], truth)) {
			j++;
			continue;
		}
		if (truth && !same_name(&s->names[i], truth) && may_be_missing(truth, &s->names[i]))
			truth = j ? json_array_get(stack, --j) : NULL;
		if (!truth || !same_frame(&s->names[i], truth))
			return false;
		*columns_off +=
			s->names[i].column != json_integer_value(json_object_get(truth, "column"));
	}
	*top = j ? json_array_get(stack, j - 1) : NULL;
	return j > 0;
}

static bool is_true(struct tally *t, const struct seen *s, json_t *stacks, enum place place)
{
	json_t *stack, *top;
	int columns_off;
	size_t i;

	json_array_foreach(stacks, i, stack) {
		if (!ends_like(s, stack, &top, &columns_off))
			continue;
		if (place == LEAF && (top != json_array_get(stack, 0) || !same_name(&s->names[0], top)))
			continue;
		if (place == WINDOW && s->names[0].name && !same_name(&s->names[0], top))
			continue;
		t->columns += (int)s->n - 1;
		t->columns_off += columns_off;
		return true;
	}
	return false;
}

static void print_stack(const struct seen *s, const char *what, bool ok)
{
	printf("  %s%s:\n", what, ok ? "" : ", wrong");
	for (size_t i = 0; i < s->n; i++)
		printf("    %s (%s:%u:%u) tier %d%s %s\n", s->names[i].name ? s->names[i].name : "?",
		       s->names[i].file ? s->names[i].file : "", s->names[i].line,
		       s->names[i].column, s->names[i].tier, s->names[i].inlined ? " inlined" : "",
		       s->names[i].reason ? s->names[i].reason : "");
}

static void count_leaf(struct tally *t, const struct v8_name *leaf, json_t *truth)
{
	json_int_t first = json_integer_value(json_object_get(truth, "first"));
	json_int_t last = json_integer_value(json_object_get(truth, "last"));

	if (leaf->line < first || leaf->line > last)
		return;
	t->lines_in_leaf++;
	if (leaf->line < 4096 && !t->line_seen[leaf->line]) {
		t->line_seen[leaf->line] = true;
		t->distinct_lines++;
	}
}

static bool has_name(const struct seen *s, const char *name)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->names[i].name && !strcmp(s->names[i].name, name))
			return true;
	return false;
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

static void judge(struct tally *t, struct seen *s, json_t *truth, bool verbose)
{
	json_t *leaf = json_object_get(truth, "leaf"), *stacks = json_object_get(truth, "stacks");
	enum place place = BETWEEN;
	bool ok;

	drop_leading_builtins(s);
	if (!has_name(s, "main")) {
		t->elsewhere++;
		return;
	}
	if (s->is_window)
		place = WINDOW;
	else if (same_text(s->names[0].name, json_object_get(leaf, "name")))
		place = LEAF;
	ok = is_true(t, s, stacks, place);
	*(ok ? &t->exact[place] : &t->wrong[place]) += 1;
	for (size_t i = 0; i < s->n; i++) {
		t->tiers[s->names[i].tier]++;
		t->inlined += s->names[i].inlined;
	}
	if (place == LEAF)
		count_leaf(t, &s->names[0], leaf);
	if (verbose && (!ok || place == WINDOW))
		print_stack(s, place_names[place], ok);
}

/* ---- runs ---- */

static json_t *read_truth(struct live_node *n)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, n->out) > 0)
		if (line[0] == '{')
			return json_loads(line, 0, NULL);
	return NULL;
}

static void wait_a_little(u32 *seed)
{
	struct timespec ts = { 0, 1000000 + rand_r(seed) % 4000000 };

	nanosleep(&ts, NULL);
}

static int run(char *const argv[], int stops, struct tally *t, bool verbose)
{
	static struct live_node node;
	static struct seen seen;
	u32 seed = 1;
	json_t *truth = NULL;
	int r = live_node_start(&node, argv);

	*t = (struct tally){};
	if (!r)
		truth = read_truth(&node);
	if (!truth)
		r = r ? r : -EPROTO;
	for (int i = 0; !r && i < stops; i++) {
		wait_a_little(&seed);
		r = live_node_sample(&node);
		if (!r)
			r = name_all(&node, &seen);
		if (!r)
			judge(t, &seen, truth, verbose);
		if (!r)
			r = live_node_resume(&node);
	}
	json_decref(truth);
	live_node_end(&node);
	return r;
}

static void report(const char *what, const struct tally *t)
{
	printf("%s:", what);
	for (int i = 0; i < N_PLACES; i++)
		printf(" %s %d/%d", place_names[i], t->exact[i], t->exact[i] + t->wrong[i]);
	printf(" elsewhere %d; leaf lines %d (%d different); columns off %d/%d;"
	       " interpreted %d baseline %d maglev %d turbofan %d inlined %d\n",
	       t->elsewhere, t->lines_in_leaf, t->distinct_lines, t->columns_off, t->columns,
	       t->tiers[V8_TIER_INTERPRETED], t->tiers[V8_TIER_BASELINE], t->tiers[V8_TIER_MAGLEV],
	       t->tiers[V8_TIER_TURBOFAN], t->inlined);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct tally t;
	char *args[32] = { argv[1] };
	int n = 1, r;

	if (argc < 4)
		return check_cannot_run("usage: live_v8 NODE STOPS SCRIPT [FLAG]...");
	for (int i = 4; i < argc && n < 30; i++)
		args[n++] = argv[i];
	args[n] = argv[3];
	r = run(args, atoi(argv[2]), &t, true);
	report(argv[3], &t);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0;
}
