/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names and lines of V8 frames in live Node.js processes. A process is stopped at random instants,
 * and its stack is walked by the core and symbolized. The result is judged by the stacks that the
 * program itself reports (live_truth.h).
 *
 *	live_v8 FIXTURES [MAJOR]            versions in $UNSPOOL_NODE_DIR live_v8
 *	NODE STOPS SCRIPT [FLAG]... a single run, which prints each wrong stack
 *
 * In a single run, LIVE_V8_TRIED=MAJOR.MINOR replaces the table of V8 versions by one that ends
 * before that version, which is treated as a tested version without changes.
 * LIVE_V8_PLANT=FIELD=VALUE[,FIELD=VALUE]... adds layout values to that table.
 */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8_object.h"
#include "../check.h"
#include "live_node.h"
#include "live_truth.h"

#define STOPS 40
#define ENOUGH                                                                                     \
	(STOPS / 2) /* minimum number of stops in JavaScript, not e.g. in the garbage collector */
#define WHOLE 8 /* minimum number of frames of a walk from event loop to program start */
#define ROUNDS 8
#define CONTROL_EVERY 6 /* number of stops between two control checks */
#define SWEEP_EVERY 25
#define MAX_ARGS 32
#define MAX_ROWS 512

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

/*
 * Reads /proc/PID/syscall: "running", or the number of the system call. Under qemu-user, the file
 * has the state of qemu's own thread.
 */
static bool is_in_system_call(int pid)
{
	char path[64];
	long number = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1;
	fclose(f);
	return number >= 0;
}

static int name_all(struct live_node *node, struct seen *seen)
{
	const struct uw_sample *s = &node->walk.sample;
	struct v8_name names[V8_MAX_NAMES];

	seen->n = 0;
	seen->is_window = false;
	seen->is_cut = s->n_frames < WHOLE && !is_in_system_call(node->pid);
	for (u32 i = 0; i < s->n_frames; i++) {
		int n, from = 0;

		if (s->frames[i].kind != UW_V8_JS && s->frames[i].kind != UW_V8_CODE &&
		    s->frames[i].kind != UW_V8_STUB)
			continue;
		n = v8_heap_name(node->heap, s, i, names);
		if (n < 0)
			return n;
		/* A builtin without a frame of its own does not appear in a JavaScript stack. */
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

static void print_stack(const char *what, const struct seen *s)
{
	printf("  %s:\n", s->is_window ? "window" : what);
	for (size_t i = 0; i < s->n; i++)
		printf("    %s (%s:%u:%u) tier %d%s %s\n",
		       s->names[i].name ? s->names[i].name : "?",
		       s->names[i].file ? s->names[i].file : "", s->names[i].line,
		       s->names[i].column, s->names[i].tier, s->names[i].inlined ? " inlined" : "",
		       s->names[i].reason ? s->names[i].reason : "");
}

static void wait_a_little(u32 *seed)
{
	usleep((useconds_t)(live_cpu_slowness * (1000 + rand_r(seed) % 4000)));
}

struct run {
	struct tally tally;
	int agreed_with_spoiled; /* matches of the negative controls; must stay 0 */
	int accepted, columns_agreed;
	int faulty_stacks, made_up; /* with failing reads; made_up: wrong names, must be 0 */
	bool verbose;
	/* The stacks are symbolized only after the program has resumed and collected garbage. */
	bool late;
	int named, gaps, contradictions, control_contradictions;
	struct v8_votes votes[V8_N_ASPECTS]; /* votes of the functions on the layout */
	const char *why; /* why this V8 is unsupported; NULL: supported */
};

struct truths {
	struct truth *truth, *lines, *columns; /* copies with wrong lines and with wrong columns */
};

static void judge_controls(struct run *run, const struct seen *seen, const struct truths *t)
{
	static struct seen copy;
	struct tally lines = {}, columns = {};
	int accepted;

	copy = *seen;
	truth_judge(&lines, &copy, t->lines);
	for (int i = 0; i < N_PLACES; i++)
		run->agreed_with_spoiled += lines.exact[i];
	copy = *seen;
	truth_judge(&columns, &copy, t->columns);
	for (int i = 0; i < 2; i++)
		run->columns_agreed += columns.columns.n[i] - columns.columns.n_off[i];
	accepted = truth_accepts_faults(seen, t->truth);
	if (accepted)
		print_stack("the judge accepted a planted fault in this stack", seen);
	run->accepted += accepted;
}

static int judge(struct run *run, struct live_node *node, const struct truths *t,
		 bool with_controls)
{
	static struct seen seen;
	int r = name_all(node, &seen);

	if (r < 0)
		return r;
	if (with_controls)
		judge_controls(run, &seen, t);
	if (!truth_judge(&run->tally, &seen, t->truth) || (seen.is_window && run->verbose))
		print_stack("wrong", &seen);
	return 0;
}

/*
 * Judges names that were found after garbage collections: some may be missing, the others must be
 * right.
 */
static int judge_late(struct run *run, struct live_node *node, const struct truths *t)
{
	static struct seen seen;
	int r = live_node_resume(node);

	if (r < 0)
		return r;
	usleep(5000);
	r = name_all(node, &seen);
	if (r < 0)
		return r;
	for (size_t i = 0; i < seen.n; i++)
		*(seen.names[i].name ? &run->named : &run->gaps) += 1;
	if (!truth_allows(&seen, t->truth)) {
		run->contradictions++;
		print_stack("wrong", &seen);
	}
	run->control_contradictions += !truth_allows(&seen, t->lines);
	return 0;
}

/* @stop: the number of this stop. Expensive checks are made only at some stops. */
static int judge_now(struct run *run, struct live_node *node, const struct truths *t, int stop)
{
	int r = judge(run, node, t, stop % CONTROL_EVERY == 0);

	if (!r && stop % SWEEP_EVERY == 0)
		r = live_sweep_failing_reads(node, &run->faulty_stacks, &run->made_up);
	return r ? r : live_node_resume(node);
}

/* The layout fields that are not in V8's metadata and that a single run can check. */
#define FIELDS_WITHOUT_SYMBOL(X)                                                                   \
	X(positions_v14, )                                                                         \
	X(scope_slots, )                                                                           \
	X(scope_module_type, )                                                                     \
	X(scope_static_kind, )                                                                     \
	X(code_kinds, )                                                                            \
	X(stream_code, )

static u16 field_off(const char *name)
{
#define X(field, symbol)                                                                           \
	if (!strcmp(name, #field))                                                                 \
		return offsetof(struct v8_layout, field);
	V8_LAYOUT_FIELDS(X)
	V8_LAYOUT_OPTIONAL(X)
	FIELDS_WITHOUT_SYMBOL(X)
#undef X
	return V8_TRIED;
}

/* Returns the table of versions that the environment selects, or NULL. */
static const struct v8_deltas *other_table(void)
{
	const char *tried = getenv("LIVE_V8_TRIED"), *plant = getenv("LIVE_V8_PLANT");
	static struct v8_delta rows[MAX_ROWS];
	static struct v8_deltas table = { rows, 0 };
	u32 major, minor, value;
	char name[64];

	if (!tried || sscanf(tried, "%u.%u", &major, &minor) != 2)
		return NULL;
	table.n = 0;
	while (table.n < v8_versions.n && table.n < MAX_ROWS - 2 &&
	       v8_versions.rows[table.n].since < V8_VERSION(major, minor)) {
		rows[table.n] = v8_versions.rows[table.n];
		table.n++;
	}
	while (plant && table.n < MAX_ROWS - 1 &&
	       sscanf(plant, "%63[a-z_0-9]=%u", name, &value) == 2) {
		rows[table.n++] = (struct v8_delta){ V8_VERSION(major, minor), field_off(name),
						     (u16)value, "planted" };
		plant = strchr(plant, ',');
		plant = plant ? plant + 1 : NULL;
	}
	rows[table.n++] = (struct v8_delta){ V8_VERSION(major, minor), V8_TRIED, 0, "" };
	return &table;
}

static int run_one(char *const argv[], int stops, struct run *run)
{
	static struct live_node node;
	u32 seed = 1;
	struct truths t = {};
	int r;

	node.deltas = other_table();
	r = live_node_start(&node, argv);
	if (!r)
		r = truth_read(&t.truth, node.out);
	if (!r)
		r = truth_copy(&t.lines, t.truth, 1, 0);
	if (!r)
		r = truth_copy(&t.columns, t.truth, 0, 1);
	for (int i = 0; !r && i < stops; i++) {
		wait_a_little(&seed);
		r = live_node_sample(&node);
		if (r)
			break;
		r = run->late ? judge_late(run, &node, &t) : judge_now(run, &node, &t, i);
	}
	truth_free(&t.truth);
	truth_free(&t.lines);
	truth_free(&t.columns);
	run->why = node.why;
	if (node.heap)
		memcpy(run->votes, node.heap->votes, sizeof(run->votes));
	live_node_stop(&node);
	return r;
}

static void report(const char *what, const struct tally *t)
{
	printf("%s:", what);
	for (int i = 0; i < N_PLACES; i++)
		printf(" %s %d/%d", place_names[i], t->exact[i], t->exact[i] + t->wrong[i]);
	printf(", %d elsewhere, %d cut; %d leaves have a line (%d distinct); wrong columns %d/%d, "
	       "in"
	       " optimized code %d/%d; frames: interpreted %d baseline %d maglev %d turbofan %d"
	       " inlined %d\n",
	       t->elsewhere, t->cut, t->leaf_located, t->distinct_lines, t->columns.n_off[0],
	       t->columns.n[0], t->columns.n_off[1], t->columns.n[1], t->tiers[V8_TIER_INTERPRETED],
	       t->tiers[V8_TIER_BASELINE], t->tiers[V8_TIER_MAGLEV], t->tiers[V8_TIER_TURBOFAN],
	       t->inlined);
	fflush(stdout);
}

/* ---- as a test ---- */

static const char *const scripts[] = { "nest.js",    "calls.js",    "loop.js",
				       "alloc.js",   "twobyte.js",  "sources.js",
				       "module.mjs", "features.js", "implicit.js" };

struct mode {
	const char *name;
	const char *flags[3]; /* --no-maglev exists from Node.js 20 on */
	bool (*tiers_are_right)(const struct tally *t);
	int first_major; /* Node.js 23 is the first with Maglev */
};

static bool only_interpreted(const struct tally *t)
{
	return t->tiers[V8_TIER_INTERPRETED] && !t->tiers[V8_TIER_BASELINE] &&
	       !t->tiers[V8_TIER_MAGLEV] && !t->tiers[V8_TIER_TURBOFAN];
}

static bool mostly_baseline(const struct tally *t)
{
	return t->tiers[V8_TIER_BASELINE] > t->tiers[V8_TIER_INTERPRETED] &&
	       !t->tiers[V8_TIER_MAGLEV] && !t->tiers[V8_TIER_TURBOFAN];
}

static bool some_optimized(const struct tally *t)
{
	return t->tiers[V8_TIER_MAGLEV] + t->tiers[V8_TIER_TURBOFAN] > 0;
}

static bool some_maglev(const struct tally *t)
{
	return t->tiers[V8_TIER_MAGLEV] && !t->tiers[V8_TIER_TURBOFAN];
}

static const struct mode modes[] = {
	{ "jitless", { "--jitless" }, only_interpreted },
	{ "baseline", { "--always-sparkplug", "--no-opt", "--no-maglev" }, mostly_baseline },
	{ "maglev", { "--no-turbofan" }, some_maglev, 23 },
	{ "default", {}, some_optimized },
};

static int n_exact(const struct tally *t)
{
	int n = 0;

	for (int i = 0; i < N_PLACES; i++)
		n += t->exact[i];
	return n;
}

/*
 * A walk without unwind rows can be wrong in the first and last instructions of optimized
 * functions, so up to 1 % of the stacks may be wrong. Without optimized code, all stacks must be
 * right.
 */
static bool is_good(const struct mode *mode, const char *script, const struct run *run)
{
	const struct tally *t = &run->tally;
	int exact = n_exact(t), wrong = 0;

	for (int i = 0; i < N_PLACES; i++)
		wrong += t->wrong[i];
	if (run->agreed_with_spoiled || run->accepted || run->columns_agreed || run->made_up ||
	    !run->faulty_stacks || exact < ENOUGH || !mode->tiers_are_right(t))
		return false;
	if (!strcmp(script, "loop.js") && t->distinct_lines < 10)
		return false;
	if (t->leaf_located * 100 < t->exact[LEAF] * 80 || t->cut > 3 + exact / 20)
		return false;
	if (t->columns.n_off[0] * 500 > t->columns.n[0] ||
	    t->columns.n_off[1] * 50 > t->columns.n[1])
		return false;
	return t->tiers[V8_TIER_MAGLEV] + t->tiers[V8_TIER_TURBOFAN] ? wrong * 100 <= exact
								     : !wrong;
}

static int try_mode(const char *node, const char *version, const char *dir, const char *script,
		    const struct mode *mode)
{
	static struct run run;
	char path[PATH_MAX], what[512];
	char *args[MAX_ARGS] = { (char *)node };
	int n = 1, r;

	for (int i = 0; i < 3; i++)
		if (mode->flags[i] && (i < 2 || atoi(version) >= 20))
			args[n++] = (char *)mode->flags[i];
	snprintf(path, sizeof(path), "%s/%s", dir, script);
	args[n] = path;
	run = (struct run){};
	for (int i = 0; !i || (!r && i < ROUNDS && n_exact(&run.tally) < ENOUGH); i++)
		r = run_one(args, STOPS, &run);
	snprintf(what, sizeof(what), "%s %s %s", version, mode->name, script);
	report(what, &run.tally);
	if (r < 0)
		printf("%s: %s\n", what, strerror(-r));
	if (!r && is_good(mode, script, &run))
		return 0;
	printf("%s: FAILED: the judge accepted %d stacks with wrong lines, %d with wrong columns "
	       "and %d"
	       " with planted faults; failing reads caused %d wrong names\n",
	       what, run.agreed_with_spoiled, run.columns_agreed, run.accepted, run.made_up);
	return 1;
}

/*
 * Every garbage collection compacts the heap, so functions, code and scripts move constantly. If an
 * object is replaced by another one of the same kind before it is read, this cannot always be
 * detected; so up to 1 % of these stacks may be wrong, too.
 */
static int try_late(const char *node, const char *version, const char *dir)
{
	static struct run run;
	char path[PATH_MAX];
	char *args[] = { (char *)node, "--expose-gc", "--compact-on-every-full-gc", path, NULL };
	int r;

	snprintf(path, sizeof(path), "%s/collect.js", dir);
	run = (struct run){ .late = true };
	r = run_one(args, STOPS, &run);
	printf("%s named late: %d frames have a name, %d do not; %d stacks contradict the truth"
	       " (control: %d)\n",
	       version, run.named, run.gaps, run.contradictions, run.control_contradictions);
	if (!r && run.named > STOPS && run.gaps && run.contradictions * 100 <= STOPS &&
	    run.control_contradictions >= 3)
		return 0;
	printf("%s named late: FAILED (%s)\n", version, strerror(-r));
	return 1;
}

/* Stops are random, so a failed run is repeated once; a second failure fails the test. */
static int run_mode(const char *node, const char *version, const char *dir, const char *script,
		    const struct mode *mode)
{
	int failed = 1;

	for (int i = 0; i < 2 && failed; i++)
		failed = try_mode(node, version, dir, script, mode);
	return failed;
}

static int run_late(const char *node, const char *version, const char *dir)
{
	int failed = 1;

	for (int i = 0; i < 2 && failed; i++)
		failed = try_late(node, version, dir);
	return failed;
}

static void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static int run_version(const char *node, const char *version, const char *fixtures, int *n)
{
	int failed = run_late(node, version, fixtures);

	*n += 1;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		for (size_t j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
			if (atoi(version) < modes[j].first_major)
				continue;
			failed += run_mode(node, version, fixtures, scripts[i], &modes[j]);
			*n += 1;
		}
	return failed;
}

/*
 * The builtins that are found without symbols must be those that are found by symbols, except for
 * padding.
 */
static bool finds_without_symbols(const char *path)
{
	static u8 sizes[3][V8_MAX_BYTECODES];
	struct v8_build *b = NULL;
	struct elf_file *f = NULL;
	u64 addr, len, off = 0;
	u32 n = 0;
	bool good = !elf_file_open(&f, path) && !v8_build_new(&b, f) && b->n_builtins > 1 &&
		    !v8_find_blob(f, &addr, &len) && !elf_file_addr_to_off(f, addr, &off) &&
		    !v8_find_bytecode_sizes(f, sizes, &n) && n == b->n_bytecodes && n;

	for (u32 i = 0; good && i < 3; i++)
		good = !memcmp(sizes[i], b->bytecode_sizes[i], n);
	good = good && off <= b->blob_off && off + len >= b->blob_off + b->blob_len &&
	       len - b->blob_len < UW_PAGE_LEN * 4;
	if (!good)
		printf("the builtins were found at 0x%llx, but expected at 0x%llx; %u bytecodes "
		       "were found\n",
		       off, b ? b->blob_off : 0, n);
	if (b)
		v8_build_free(&b);
	if (f)
		elf_file_free(&f);
	return good;
}

static int run_all(const char *nodes, const char *fixtures, const char *major)
{
	_cleanup_(cleanup_closedir) DIR *d = opendir(nodes);
	int n = 0, failed = 0;
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char node[PATH_MAX];

		snprintf(node, sizeof(node), "%s/%s/bin/node", nodes, entry->d_name);
		if (entry->d_name[0] == '.' || access(node, X_OK) < 0 ||
		    (major && atoi(entry->d_name) != atoi(major)))
			continue;
		failed += run_version(node, entry->d_name, fixtures, &n);
		failed += !finds_without_symbols(node);
		n++;
	}
	if (!n)
		return check_cannot_run("$UNSPOOL_NODE_DIR has no matching VERSION/bin/node");
	printf("%d passed, %d failed\n", n - failed, failed);
	return failed != 0;
}

int main(int argc, char **argv)
{
	static struct run run = { .verbose = true };
	char *args[MAX_ARGS] = { argv[1] };
	int n = 1, r;

	if ((argc == 2 || argc == 3) && getenv("UNSPOOL_NODE_DIR"))
		return run_all(getenv("UNSPOOL_NODE_DIR"), argv[1], argv[2]);
	if (argc < 4)
		return check_cannot_run("the variable UNSPOOL_NODE_DIR is not set");
	for (int i = 4; i < argc && n < MAX_ARGS - 2; i++)
		args[n++] = argv[i];
	args[n] = argv[3];
	r = run_one(args, atoi(argv[2]), &run);
	report(argv[3], &run.tally);
	printf("with failing reads, %d names or lines are wrong in %d stacks\n", run.made_up,
	       run.faulty_stacks);
	for (int i = 0; i < V8_N_ASPECTS; i++)
		printf("%s: %u functions confirm the layout, %u contradict it\n",
		       ((const char *[]){ "names", "lines", "code" })[i], run.votes[i].fit,
		       run.votes[i].misfit);
	if (r < 0)
		printf("%s\n", run.why ? run.why : strerror(-r));
	return r < 0;
}
