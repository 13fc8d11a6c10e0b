// SPDX-License-Identifier: BSD-2-Clause

/*
 * The fixtures of a folder, on both architectures: executed ones run to their end, every
 * return gets back behind its call, the stack pointer ends where it began, and at
 * every call a walk gives exactly the calls in progress (but for one known window).
 * Hand-laid ones are walked
 * and must end as they say.
 */

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../../sim/fixture/fixture.h"
#include "../../sim/mem/image.h"
#include "../check.h"
#include "run_code.h"

#define MAX_ROWS 256

struct row {
	const char *path;
	const struct sim_arch *arch;
	char name[200];
};

struct counts {
	u32 n, exact, calls, calls_exact;
	u64 prologue; /* address of BaselineOutOfLinePrologue */
	bool is_miss; /* of the call just made */
	u32 n_wrong_misses;
	u32 n_missed_callers; /* walks that lack exactly the direct caller */
};

static struct row rows[MAX_ROWS];
static struct CMUnitTest tests[MAX_ROWS];
static u32 n_rows;

static void load(const struct row *row, struct sim_case *c)
{
	struct sim_problem problem = { "" };
	struct doc_file *file;

	if (doc_file_open(row->path, &problem, &file) ||
	    sim_fixture_realise(file, row->arch, &problem, c))
		fail_msg("%s", problem.text);
	doc_file_free(&file);
}

/* Frames @skip callers after the leaf, against the truth. */
static bool is_truth(const struct uw_sample *s, const struct run *run, u64 pc, u32 skip)
{
	if (s->n_frames + skip != run->depth + 1 || s->frames[0].pc != pc)
		return false;
	for (u32 i = 1; i < s->n_frames; i++)
		if (s->frames[i].pc != run->truth[run->depth - i - skip])
			return false;
	return true;
}

static void compare(struct run *run, const struct uw_regs *regs, bool is_call, void *data)
{
	static struct uw_state u;
	struct sim_target target = run->c->target;
	struct counts *counts = data;
	bool is_exact;

	if (counts->is_miss && regs->pc != counts->prologue)
		counts->n_wrong_misses++;
	target.regs = *regs;
	run->c->arch->walk(&u, &target);
	is_exact = is_truth(&u.sample, run, regs->pc, 0);
	counts->n++;
	counts->exact += is_exact;
	counts->n_missed_callers += !is_exact && run->depth &&
				    is_truth(&u.sample, run, regs->pc, 1);
	counts->calls += is_call;
	counts->calls_exact += is_call && is_exact;
	counts->is_miss = is_call && !is_exact;
}

static u64 address_of(const struct sim_case *c, const char *name)
{
	for (u32 i = 0; i < c->n_functions; i++)
		if (!strcmp(c->functions[i].name, name))
			return c->functions[i].start_addr;
	return 0;
}

/* The one call that code makes without a frame is that of baseline code for a frame. */
static void check_executed(const struct sim_case *c)
{
	struct counts counts = { .prologue = address_of(c, "BaselineOutOfLinePrologue") };
	struct run run = { .at_insn = compare, .data = &counts };

	run_code(c, &run);
	printf("%s: %u instructions, %u calls, depth %u, walks exact %.1f %%, at calls %u of %u; "
	       "%u lack the direct caller\n",
	       c->name, run.n_insns, run.n_calls, run.max_depth, 100.0 * counts.exact / counts.n,
	       counts.calls_exact, counts.calls, counts.n_missed_callers);
	if (run.error)
		fail_msg("%s at %#llx after %u instructions", run.error, run.end_pc, run.n_insns);
	assert_int_equal(run.end_pc, c->exit_addr);
	assert_int_equal(run.n_wrong_returns, 0);
	assert_int_equal(run.depth, 0);
	assert_true(run.n_calls > 3);
	assert_int_equal(counts.n_wrong_misses, 0);
}

static void check_hand_laid(const struct sim_case *c)
{
	static struct uw_state u;

	c->arch->walk(&u, &c->target);
	assert_int_equal(u.sample.status, c->status);
	assert_int_equal(u.sample.n_frames, c->truth.n);
	for (u32 i = 0; i < c->truth.n; i++)
		assert_int_equal(u.sample.frames[i].pc, c->truth.pcs[i]);
}

static void run_row(void **state)
{
	struct sim_case c;

	load(*state, &c);
	if (c.is_executed)
		check_executed(&c);
	else
		check_hand_laid(&c);
	sim_fixture_deinit(&c);
}

/* A leaf that returns at once, or is no code: the run or the walks must differ. */
static void spoilt_code_is_seen(void **state)
{
	struct counts counts = { 0 };
	struct run run = { .at_insn = compare, .data = &counts };
	struct sim_case c;
	u8 *code;

	load(*state, &c);
	code = sim_image_host(c.target.mem, address_of(&c, "leaf"), 4);
	memset(code, c.arch == &sim_arch_arm64 ? 0 : 0xc3, 4);
	run_code(&c, &run);
	assert_true(run.error || run.n_wrong_returns || run.n_insns < 60);
	sim_fixture_deinit(&c);
}

static void add_row(const char *path, const struct sim_arch *arch, void (*test)(void **))
{
	struct row *row = &rows[n_rows];
	const char *name = strrchr(path, '/');

	if (n_rows == MAX_ROWS)
		return;
	row->path = path;
	row->arch = arch;
	snprintf(row->name, sizeof(row->name), "%s: %.150s%s", arch->name, name ? name + 1 : path,
		 test == run_row ? "" : ": spoilt code is seen");
	tests[n_rows++] =
		(struct CMUnitTest){ .name = row->name, .test_func = test, .initial_state = row };
}

int main(int argc, char **argv)
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };
	char pattern[4096];
	glob_t found;
	int status;

	if (argc != 2)
		return 2;
	snprintf(pattern, sizeof(pattern), "%s/*.yaml", argv[1]);
	if (glob(pattern, 0, NULL, &found))
		return 1;
	for (size_t i = 0; i < found.gl_pathc; i++)
		for (u32 a = 0; a < 2; a++) {
			add_row(found.gl_pathv[i], archs[a], run_row);
			if (strstr(found.gl_pathv[i], "native-chain"))
				add_row(found.gl_pathv[i], archs[a], spoilt_code_is_seen);
		}
	status = check_run("fixtures", tests, n_rows);
	globfree(&found);
	return status;
}
