/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names, lines and columns of V8 frames against live Node.js processes, with the
 * program's own Error.captureStackTrace as the truth (fixtures/node/oracle.js).
 *
 *	live_v8                             all versions in $UNSPOOL_NODE_DIR
 *	live_v8 NODE STOPS SCRIPT [FLAG]... one run, each wrong stack printed
 *
 * A stop in the program's leaf is exact if every frame above the leaf has the
 * true name, file, line and column, and the leaf's line is one of the leaf's. A
 * stop elsewhere in the program (between) is exact if the callers are the last
 * frames of a true stack. What V8's own window of a frame under construction
 * hides is counted apart, and may only be missing, never wrong.
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

struct tally {
	int leaf_exact, leaf_wrong, between_exact, between_wrong, window, elsewhere;
	int lines_in_leaf, distinct_lines, tiers[5], inlined;
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
	seen->is_window = s->n_frames && s->frames[0].kind == UW_V8_CODE;
	for (u32 i = 0; i < s->n_frames; i++) {
		int n, from = 0;

		if (s->frames[i].kind != UW_V8_JS && s->frames[i].kind != UW_V8_CODE &&
		    s->frames[i].kind != UW_V8_STUB)
			continue;
		n = v8_heap_name(node->heap, s, i, names);
		if (n < 0)
			return n;
		/* A builtin without a frame of its own is no part of a JavaScript stack. */
		if (i == 0 && n > 1 && names[0].kind == V8_NAME_BUILTIN)
			from = 1;
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
	       seen->line == json_integer_value(json_object_get(truth, "line")) &&
	       seen->column == json_integer_value(json_object_get(truth, "column"));
}

/* Are all frames from @from on the last frames of a true stack? @top: the one above them. */
static bool ends_like(const struct seen *s, size_t from, json_t *stack, json_t **top)
{
	size_t n = s->n - from, m = json_array_size(stack);

	if (n >= m)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_frame(&s->names[from + i], json_array_get(stack, m - n + i)))
			return false;
	*top = json_array_get(stack, m - n - 1);
	return true;
}

static bool is_true(const struct seen *s, json_t *stacks, bool is_leaf)
{
	json_t *stack, *top;
	size_t i;

	json_array_foreach(stacks, i, stack) {
		if (!ends_like(s, 1, stack, &top))
			continue;
		if (!is_leaf || (top == json_array_get(stack, 0) && same_name(&s->names[0], top)))
			return true;
	}
	return false;
}

static void print_stack(const struct seen *s, const char *what)
{
	printf("  %s:\n", what);
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

static void judge(struct tally *t, const struct seen *s, json_t *truth, bool verbose)
{
	json_t *leaf = json_object_get(truth, "leaf"), *stacks = json_object_get(truth, "stacks");
	bool is_leaf, ok;

	if (s->n < 3) {
		t->elsewhere++;
		return;
	}
	is_leaf = same_text(s->names[0].name, json_object_get(leaf, "name"));
	ok = is_true(s, stacks, is_leaf);
	for (size_t i = 0; i < s->n; i++) {
		t->tiers[s->names[i].tier]++;
		t->inlined += s->names[i].inlined;
	}
	if (s->is_window)
		t->window++;
	else if (is_leaf)
		*(ok ? &t->leaf_exact : &t->leaf_wrong) += 1;
	else
		*(ok ? &t->between_exact : &t->between_wrong) += 1;
	if (is_leaf)
		count_leaf(t, &s->names[0], leaf);
	if (!ok && verbose)
		print_stack(s, is_leaf ? "leaf" : s->is_window ? "window" : "between");
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
	printf("%-60s leaf %d/%d (lines %d, %d distinct), between %d/%d, window %d, elsewhere %d;"
	       " frames: interpreted %d baseline %d maglev %d turbofan %d inlined %d\n",
	       what, t->leaf_exact, t->leaf_exact + t->leaf_wrong, t->lines_in_leaf,
	       t->distinct_lines, t->between_exact, t->between_exact + t->between_wrong, t->window,
	       t->elsewhere, t->tiers[V8_TIER_INTERPRETED], t->tiers[V8_TIER_BASELINE],
	       t->tiers[V8_TIER_MAGLEV], t->tiers[V8_TIER_TURBOFAN], t->inlined);
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
