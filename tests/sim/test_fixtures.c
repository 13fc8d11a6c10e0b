// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_fixtures DIR: tests the fixtures in a folder, for both architectures. Executed
 * fixtures must run to their end, and each return must lead to the instruction after its
 * call; test_fixture_windows.c tests the walks. Hand-laid fixtures are walked; the walk must
 * end as they declare.
 */

#include "../../sim/cpu/cpu.h"
#include "../../sim/mem/image.h"
#include "fixture_rows.h"

static int count_depth(void *ctx, const struct sim_stop *stop)
{
	u32 *deepest = ctx;

	if (stop->truth.n > *deepest)
		*deepest = stop->truth.n;
	return 0;
}

static void check_executed(const struct sim_case *c)
{
	struct sim_error error = { "" };
	u32 deepest = 0;
	struct sim_cpu_run run = { .at_stop = count_depth, .ctx = &deepest };

	if (sim_cpu_run(c, &run, &error))
		fail_msg("after %llu instructions: %s", run.n_insns, error.text);
	assert_true(run.n_insns > 20);
	assert_true(deepest > 2);
}

static bool is_as_expected(const struct sim_case *c, const struct uw_sample *s)
{
	const struct sim_truth *t = &c->truth;

	for (u32 i = 0; i < t->n && i < s->n_frames; i++)
		if (s->frames[i].pc != t->pcs[i] ||
		    (t->reasons && s->frames[i].status != t->reasons[i]))
			return false;
	return s->status == c->status && s->n_frames == t->n;
}

/*
 * Checks that the walk matches the fixture's expectation, and that a change to any part of
 * the expectation is detected.
 */
static void check_hand_laid(struct sim_case *c)
{
	static struct uw_state u;
	u64 *pcs = (u64 *)c->truth.pcs;
	u8 *reasons = (u8 *)c->truth.reasons;

	c->arch->walk(&u, &c->target);
	assert_string_equal(sim_status_words(u.sample.status), sim_status_words(c->status));
	assert_true(is_as_expected(c, &u.sample));
	c->status++;
	assert_false(is_as_expected(c, &u.sample));
	c->status--;
	c->truth.n--;
	assert_false(is_as_expected(c, &u.sample));
	c->truth.n++;
	for (u32 i = 0; i < c->truth.n; i++) {
		pcs[i]++;
		assert_false(is_as_expected(c, &u.sample));
		pcs[i]--;
		if (!reasons)
			continue;
		reasons[i]++;
		assert_false(is_as_expected(c, &u.sample));
		reasons[i]--;
	}
	assert_true(is_as_expected(c, &u.sample));
}

static void run_row(void **state)
{
	struct sim_case *c = row_load(*state);

	if (c && c->is_executed)
		check_executed(c);
	else if (c)
		check_hand_laid(c);
	sim_text_free(&c);
}

static u64 address_of(const struct sim_case *c, const char *name)
{
	for (u32 i = 0; i < c->n_functions; i++)
		if (!strcmp(c->functions[i].name, name))
			return c->functions[i].start_addr;
	return 0;
}

/* Negative control: the run must fail if the leaf returns twice or is not code. */
static void the_run_of_a_fixture_fails_if_the_code_of_the_leaf_is_corrupt(void **state)
{
	struct sim_cpu_run run = { .at_stop = count_depth, .ctx = &(u32){ 0 } };
	struct sim_case *c = row_load(*state);
	struct sim_error error = { "" };
	u8 *code = sim_image_host(c->target.mem, address_of(c, "leaf"), 8);

	memcpy(code, c->arch == &sim_arch_arm64 ? "\0\0\0\0" : "\x58\xc3", 2);
	assert_int_equal(sim_cpu_run(c, &run, &error), -ENOEXEC);
	sim_text_free(&c);
}

int main(int argc, char **argv)
{
	if (argc != 2 || rows_find(argv[1]))
		return 2;
	rows_add("", "", run_row);
	rows_add("native-chain", ": corrupt code is detected",
		 the_run_of_a_fixture_fails_if_the_code_of_the_leaf_is_corrupt);
	return rows_run("fixtures");
}
