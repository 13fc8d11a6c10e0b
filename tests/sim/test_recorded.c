// SPDX-License-Identifier: BSD-2-Clause

/*
 * Writes stops of executed fixtures to files and replays them: frames and reads must be the
 * same as with the fixture's own memory, in every engine. A replay that differs in any part
 * must be detected.
 */

#include "../check.h"

#include "../../inspect/case/case.h"
#include "../../sim/case/cases.h"
#include "../../sim/cpu/cpu.h"
#include "../../sim/engine/compare.h"
#include "../../sim/mem/image.h"
#include "../../sim/recorded/record.h"
#include "../../sim/recorded/repeat.h"
#include "../../sim/run/run.h"
#include "../../sim/sweep/pcs.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FIXTURES 32
#define STRIDE 7 /* one in this many new pcs is recorded */

static char folder[] = "/tmp/test_recorded.XXXXXX";
static char *fixtures[MAX_FIXTURES];
static u32 n_fixtures;
static struct sim_session
	*sessions[SIM_N_ARCHS][SIM_N_ENGINES]; /* NULL: the engine can't run here */
static struct sim_walk walks[2];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct sim_case *load(const char *path, const struct sim_arch *arch)
{
	struct sim_error error = { "" };
	struct sim_case *c = NULL;
	int err = sim_case_kind_of(path)->load(path, arch, &c, &error);

	if (err && err != -ENOTSUP)
		fail_msg("%s", error.text);
	return c;
}

static void unload(const char *path, struct sim_case **c)
{
	sim_case_kind_of(path)->free(c);
}

static void walk(struct sim_session *session, const struct sim_case *c, struct sim_walk *out)
{
	int err = sim_session_walk(session, &c->target, out);

	if (err)
		fail_msg("%s: %s: %s", c->name, session->engine->name, session->why);
}

struct tour {
	const struct sim_case *c;
	u32 arch;
	struct sweep_pcs pcs;
	u32 n_files, n_walks, n_frames;
	size_t most_bytes;
};

/* Walks a stop from the fixture's memory and from the recorded file, and compares the walks. */
static void replay(struct tour *t, const struct sim_target *target, const char *path)
{
	struct sim_case *recorded = load(path, t->c->arch);
	struct sim_difference d;
	char words[384];

	assert_int_equal(sim_session_walk(sessions[t->arch][0], target, &walks[0]), 0);
	for (u32 e = 0; e < SIM_N_ENGINES; e++) {
		if (!sessions[t->arch][e])
			continue;
		walk(sessions[t->arch][e], recorded, &walks[1]);
		if (!sim_walk_compare(&walks[0], &walks[1], &d)) {
			sim_difference_words(&d, &walks[0], &walks[1], words, sizeof(words));
			fail_msg("%s: %s: %s", t->c->name, sim_engines[e]->name, words);
		}
		t->n_walks++;
	}
	t->n_frames += walks[1].state.sample.n_frames;
	unload(path, &recorded);
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct tour *t = ctx;
	struct sweep_pc *seen = sweep_pcs_get(&t->pcs, stop->regs.pc);
	struct sim_target target = t->c->target;
	struct sim_error error;
	const char *path = path_of(t->n_files % 2 ? "stop.core" : "stop.core.zst");

	if (seen->value++ || t->pcs.n % STRIDE)
		return 0;
	target.regs = stop->regs;
	if (sim_case_write(t->c, &target, &stop->truth, UW_END, path, &error))
		fail_msg("%s", error.text);
	replay(t, &target, path);
	t->n_files++;
	return 0;
}

static void a_case_recorded_at_any_stop_replays_identically(void **state)
{
	struct tour t = { 0 };

	(void)state;
	for (u32 i = 0; i < n_fixtures; i++)
		for (t.arch = 0; t.arch < SIM_N_ARCHS; t.arch++) {
			struct sim_cpu_run run = { .at_stop = at_stop, .ctx = &t };
			struct sim_case *c = load(fixtures[i], sim_archs[t.arch]);
			struct sim_error error;

			if (c && c->is_executed) {
				t.c = c;
				if (sim_cpu_run(c, &run, &error))
					fail_msg("%s", error.text);
				sweep_pcs_deinit(&t.pcs);
				memset(&t.pcs, 0, sizeof(t.pcs));
			}
			unload(fixtures[i], &c);
		}
	print_message("%u files, %u walks, %u frames\n", t.n_files, t.n_walks, t.n_frames);
	assert_true(t.n_files > 100 && t.n_frames > 5 * t.n_files);
}

/* Records the first stop of the first fixture after @n_insns instructions. */
struct stopped {
	struct sim_case *c;
	bool with_truth;
	u32 left;
	char path[128];
};

static int write_it(void *ctx, const struct sim_stop *stop)
{
	struct stopped *s = ctx;
	struct sim_target target = s->c->target;
	struct sim_error error;

	if (s->left--)
		return 0;
	target.regs = stop->regs;
	if (sim_case_write(s->c, &target, s->with_truth ? &stop->truth : NULL, UW_END, s->path,
			   &error))
		fail_msg("%s", error.text);
	return 1;
}

static void write_stop(const char *name, u32 n_insns, bool with_truth)
{
	struct stopped s = { load(fixtures[0], sim_archs[0]), with_truth, n_insns, "" };
	struct sim_cpu_run run = { .at_stop = write_it, .ctx = &s };
	struct sim_error error;

	snprintf(s.path, sizeof(s.path), "%s", path_of(name));
	assert_int_equal(sim_cpu_run(s.c, &run, &error), 1);
	unload(fixtures[0], &s.c);
}

static struct case_file *read_file(const char *name)
{
	struct case_error error;
	struct case_file *f;

	if (case_read(path_of(name), &error, &f))
		fail_msg("%s", error.text);
	return f;
}

static void write_file(const struct case_file *f, const char *name)
{
	struct case_error error;

	if (case_write(f, path_of(name), &error))
		fail_msg("%s", error.text);
}

static void the_file_of_a_case_without_a_known_true_stack_contains_no_true_stack(void **state)
{
	struct case_file *told, *untold;
	char *text;

	(void)state;
	write_stop("told.core", 300, true);
	write_stop("untold.core", 300, false);
	told = read_file("told.core");
	untold = read_file("untold.core");
	assert_non_null(told->truth);
	assert_true(told->truth->n_pcs > 1);
	assert_null(untold->truth);
	text = case_note_text(untold);
	assert_null(strstr(text, "truth"));
	assert_null(strstr(text, "expected"));
	free(text);
	assert_int_equal(told->n_ranges, untold->n_ranges);
	case_free(&told);
	case_free(&untold);
}

/* Walks the case file @from natively and stores the walk in another file. */
static void record_walk(const char *from, const char *to)
{
	static struct case_read reads[SIM_MAX_READS];
	struct case_file *f = read_file(from), recorded = *f;
	struct sim_case *c = load(path_of(from), sim_archs[0]);
	const struct uw_sample *s = &walks[0].state.sample;
	struct case_walk w;

	walk(sessions[0][0], c, &walks[0]);
	w = (struct case_walk){ "native", s->frames, s->n_frames, s->status, s->fault_addr };
	for (u32 i = 0; i < walks[0].log.n; i++)
		reads[i] = (struct case_read){ walks[0].reads[i].addr, walks[0].reads[i].len,
					       walks[0].reads[i].result != 0 };
	recorded.walk = &w;
	recorded.reads = reads;
	recorded.n_reads = walks[0].log.n;
	recorded.truth = NULL;
	write_file(&recorded, to);
	unload(path_of(from), &c);
	case_free(&f);
}

static bool differs(const char *name, char *words, size_t len)
{
	struct sim_case *c = load(path_of(name), sim_archs[0]);
	bool result;

	walk(sessions[0][0], c, &walks[1]);
	result = sim_repeat_differs(c, &walks[1], words, len) == 1;
	unload(path_of(name), &c);
	return result;
}

/*
 * Each of these functions changes one part of a recorded walk. The replay must detect the
 * change.
 */
static struct uw_frame frames[UW_MAX_FRAMES];
static struct case_walk changed;
static struct case_read changed_reads[SIM_MAX_READS];

static void change_pc(void)
{
	frames[1].pc ^= 8;
}

static void change_token(void)
{
	frames[changed.n_frames - 1].a ^= 1;
}

static void change_flags(void)
{
	frames[0].flags ^= UW_FRAME_GUESS;
}

static void change_status(void)
{
	changed.status = UW_T_NO_FP;
}

static void change_fault(void)
{
	changed.fault_addr = 1;
}

static void lose_a_frame(void)
{
	changed.n_frames--;
}

static void change_a_read(void)
{
	changed_reads[0].len++;
}

static const struct {
	void (*change)(void);
	const char *words;
} changes[] = {
	{ change_pc, "frame 1: " },	  { change_token, "frame " },
	{ change_flags, "frame 0: " },	  { change_status, "no frame pointer" },
	{ change_fault, "fault at 0x1" }, { lose_a_frame, "none" },
	{ change_a_read, "read 0: " },
};

static void a_replay_that_differs_from_the_recorded_walk_is_detected(void **state)
{
	char words[400] = "";

	(void)state;
	write_stop("told.core", 300, true);
	record_walk("told.core", "walked.core.zst");
	assert_false(differs("walked.core.zst", words, sizeof(words)));
	for (u32 i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct case_file *f = read_file("walked.core.zst"), other = *f;

		changed = *f->walk;
		changed.frames = frames;
		memcpy(frames, f->walk->frames, f->walk->n_frames * sizeof(*frames));
		memcpy(changed_reads, f->reads, f->n_reads * sizeof(*changed_reads));
		other.walk = &changed;
		other.reads = changed_reads;
		other.n_frames = 0; /* symbolized frames are derived from the frames of the walk */
		changes[i].change();
		write_file(&other, "changed.core");
		if (!differs("changed.core", words, sizeof(words)) ||
		    !strstr(words, changes[i].words))
			fail_msg("change %u: %s", i, words);
		case_free(&f);
	}
}

/* Drops the page that fp points to. */
static void drop_stack(const struct case_file *f, struct case_file *out)
{
	static struct case_range ranges[64];

	*out = *f;
	out->ranges = ranges;
	out->n_ranges = 0;
	for (u32 i = 0; i < f->n_ranges; i++)
		if (f->regs.fp - f->ranges[i].addr >= f->ranges[i].len)
			ranges[out->n_ranges++] = f->ranges[i];
	assert_int_equal(out->n_ranges, f->n_ranges - 1);
}

static void a_replay_is_an_error_if_the_walk_reads_memory_that_was_not_recorded(void **state)
{
	struct case_file *f, less;
	struct sim_case *c;
	u32 n_engines = 0;

	(void)state;
	write_stop("told.core", 300, true);
	f = read_file("told.core");
	drop_stack(f, &less);
	write_file(&less, "less.core");
	c = load(path_of("less.core"), sim_archs[0]);
	for (u32 e = 0; e < SIM_N_ENGINES; e++) {
		struct sim_session *session = sessions[0][e];

		if (!session)
			continue;
		n_engines++;
		assert_int_equal(sim_session_walk(session, &c->target, &walks[0]), -ENODATA);
		assert_non_null(strstr(session->why, "not in the case"));
		assert_non_null(strstr(session->why, "bytes at 0x"));
	}
	assert_true(n_engines >= 2);
	unload(path_of("less.core"), &c);
	case_free(&f);
}

/* If the missing page is recorded as a fault, the read faults again and the walk gives a result. */
static void a_read_that_was_recorded_as_a_fault_faults_again_in_the_replay(void **state)
{
	struct case_file *f, less;
	struct case_fault faults[64];
	struct sim_case *c;
	u64 page;

	(void)state;
	write_stop("told.core", 300, true);
	f = read_file("told.core");
	drop_stack(f, &less);
	page = f->regs.fp & ~4095ull;
	less.faults = faults;
	less.n_faults = 0;
	for (u32 i = 0; i < f->n_faults; i++) {
		if (f->faults[i].addr > page && (!i || f->faults[i - 1].addr < page))
			faults[less.n_faults++] = (struct case_fault){ page, 4096 };
		faults[less.n_faults++] = f->faults[i];
	}
	assert_int_equal(less.n_faults, f->n_faults + 1);
	write_file(&less, "fault.core");
	c = load(path_of("fault.core"), sim_archs[0]);
	for (u32 e = 0; e < SIM_N_ENGINES; e++) {
		if (!sessions[0][e])
			continue;
		walk(sessions[0][e], c, &walks[0]);
		assert_int_equal(walks[0].state.sample.status, UW_E_FAULT);
		assert_int_equal(walks[0].reads[walks[0].log.n - 1].result, SIM_FAULT);
	}
	unload(path_of("fault.core"), &c);
	case_free(&f);
}

/* The kernel maps whole pages, so the engine must refuse a page with a fault in only half of it. */
static void the_kernel_engine_rejects_a_recorded_fault_in_only_part_of_a_page(void **state)
{
	struct case_range range;
	struct case_fault fault;
	struct case_file *f, torn;
	struct sim_session *session = sessions[0][2];
	struct sim_case *c;

	(void)state;
	write_stop("told.core", 300, true);
	f = read_file("told.core");
	torn = *f;
	range = f->ranges[0];
	range.len = 64;
	fault = (struct case_fault){ range.addr + 64, 64 };
	torn.ranges = &range;
	torn.faults = &fault;
	torn.n_ranges = torn.n_faults = 1;
	write_file(&torn, "torn.core");
	c = load(path_of("torn.core"), sim_archs[0]);
	if (session) {
		assert_int_equal(sim_session_walk(session, &c->target, &walks[0]), -EOPNOTSUPP);
		assert_non_null(strstr(session->why, "pages"));
	}
	unload(path_of("torn.core"), &c);
	case_free(&f);
}

static void open_sessions(void)
{
	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		for (u32 e = 0; e < SIM_N_ENGINES; e++)
			if (sim_session_open(sim_engines[e], sim_archs[a], &sessions[a][e]))
				sim_session_close(&sessions[a][e]);
}

static void close_sessions(void)
{
	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		for (u32 e = 0; e < SIM_N_ENGINES; e++)
			sim_session_close(&sessions[a][e]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_case_recorded_at_any_stop_replays_identically),
	cmocka_unit_test(the_file_of_a_case_without_a_known_true_stack_contains_no_true_stack),
	cmocka_unit_test(a_replay_that_differs_from_the_recorded_walk_is_detected),
	cmocka_unit_test(a_replay_is_an_error_if_the_walk_reads_memory_that_was_not_recorded),
	cmocka_unit_test(a_read_that_was_recorded_as_a_fault_faults_again_in_the_replay),
	cmocka_unit_test(the_kernel_engine_rejects_a_recorded_fault_in_only_part_of_a_page),
};

/* Arguments: executed fixtures; the first must execute at least 300 instructions on x86-64. */
int main(int argc, char **argv)
{
	char command[64];
	int status;

	for (int i = 1; i < argc && n_fixtures < MAX_FIXTURES; i++)
		fixtures[n_fixtures++] = argv[i];
	if (!n_fixtures || !mkdtemp(folder))
		return 1;
	open_sessions();
	status = CHECK_RUN(tests);
	close_sessions();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : status;
}
