// SPDX-License-Identifier: BSD-2-Clause

/* Every bundled stack, walked natively for each of its architectures. */

#include "walks.h"

#include "../../fixtures/stacks/all.h"

#define MAX_ROWS 1024

struct row {
	const struct stack *stack;
	const struct arch_row *arch;
	char name[128];
};

static void run_row(void **state)
{
	const struct row *row = *state;
	struct uw_state *u = fresh_state();
	struct sim_target target;

	target_of(row->stack, row->arch, &target);
	row->arch->sim->walk(u, &target);
	sim_mem_free(&target.mem);
	assert_true(sample_is(row->stack, &u->sample, true));
}

/* Negative control: the comparison above detects every wrong byte. */
static void sample_with_one_wrong_byte_differs_from_the_expected_sample(void **state)
{
	const struct stack *stack = &v8_stacks[0];
	struct uw_state *u = fresh_state();
	u8 *frames = (u8 *)u->sample.frames;
	struct sim_target target;

	(void)state;
	target_of(stack, &arch_rows[0], &target);
	arch_rows[0].sim->walk(u, &target);
	sim_mem_free(&target.mem);
	assert_true(sample_is(stack, &u->sample, false));
	for (u32 i = 0; i < u->sample.n_frames * sizeof(struct uw_frame); i++) {
		frames[i] ^= 0x10;
		assert_false(sample_is(stack, &u->sample, false));
		frames[i] ^= 0x10;
	}
	u->sample.n_frames--;
	assert_false(sample_is(stack, &u->sample, false));
	u->sample.n_frames += 2;
	assert_false(sample_is(stack, &u->sample, false));
	u->sample.n_frames--;
	u->sample.status = UW_T_NO_FP;
	assert_false(sample_is(stack, &u->sample, false));
}

/* The sample has the words of the stub called by the innermost JavaScript function. */
static void sample_has_words_from_the_frame_of_the_stub_that_the_leaf_function_calls(void **state)
{
	struct uw_state *u = fresh_state();
	struct sim_target target;

	(void)state;
	target_of(&v8_stacks[0], &arch_rows[0], &target);
	arch_rows[0].sim->walk(u, &target);
	sim_mem_free(&target.mem);
	assert_int_equal(u->sample.saved[0], 0x25);
	assert_int_equal(u->sample.saved[1], 0x24);
	assert_int_equal(u->sample.saved[2], 0x23);
}

/* Changes one word of the hand-over stack. Does the walk change? */
static bool changed_word_changes_walk(u32 word, const struct arch_row *arch)
{
	const struct stack *stack = &v8_stacks[0];
	struct uw_state *u = fresh_state();
	struct sim_target target;
	u64 changed = stack->words[word] ^ 0x40;

	target_of(stack, arch, &target);
	*(u64 *)sim_image_host(target.mem, S(word), 8) = changed;
	arch->sim->walk(u, &target);
	sim_mem_free(&target.mem);
	return !sample_is(stack, &u->sample, false);
}

/*
 * Only the words that make up frames affect the walk. Locals, argument counts, contexts and main's
 * saved fp do not affect the walk (the changed fp is still too small for an address).
 */
static void only_stack_words_that_link_or_identify_frames_affect_the_walk(void **state)
{
	/* records; markers; offset, array and function of JavaScript frames */
	static const u8 counts[] = { 2,	 3,  8,	 9,  10, 12, 13, 15, 17, 18, 20, 21,
				     23, 25, 26, 28, 29, 31, 33, 34, 36, 37, 38, 40 };

	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++)
		for (u32 word = 0, next = 0; word < v8_stacks[0].n_words; word++) {
			bool is_counted = next < sizeof(counts) && counts[next] == word;

			assert_int_equal(changed_word_changes_walk(word, &arch_rows[i]),
					 is_counted);
			next += is_counted;
		}
}

/* Every status except the ones listed below must occur in a bundled stack. */
static void every_status_occurs_in_a_bundled_stack(void **state)
{
	bool seen[UW_N_STATUS] = { [UW_OK] = true,
				   [UW_T_DEPTH] = true, /* test_deep */
				   [UW_F_AWAITER_TYPE] = true, /* test_await */
				   [UW_F_AWAITER_FAULT] = true, /* test_await */
				   /* statuses of the driver */
				   [UW_T_STALE_TABLES] = true,
				   [UW_T_32_BIT] = true };

	(void)state;
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++) {
			const struct stack *stack = &stack_groups[g].stacks[i];

			seen[stack->status] = true;
			for (u32 f = 0; f < stack->n_frames; f++)
				seen[stack->frames[f].status] = true;
		}
	for (u32 i = 0; i < UW_N_STATUS; i++)
		if (!seen[i])
			fail_msg("no bundled stack has the status \"%s\"", sim_status_words(i));
}

static struct row rows[MAX_ROWS];
static const struct CMUnitTest fixed_tests[] = {
	cmocka_unit_test(sample_with_one_wrong_byte_differs_from_the_expected_sample),
	cmocka_unit_test(only_stack_words_that_link_or_identify_frames_affect_the_walk),
	cmocka_unit_test(sample_has_words_from_the_frame_of_the_stub_that_the_leaf_function_calls),
	cmocka_unit_test(every_status_occurs_in_a_bundled_stack),
};
static struct CMUnitTest tests[MAX_ROWS];
static u32 n_tests = sizeof(fixed_tests) / sizeof(fixed_tests[0]);

static void add_row(const struct stack *stack, const struct arch_row *arch)
{
	struct row *row = &rows[n_tests];

	if (!(stack->archs & arch->bit))
		return;
	if (n_tests == MAX_ROWS)
		abort(); /* a stack for no architecture tests nothing */
	row->stack = stack;
	row->arch = arch;
	snprintf(row->name, sizeof(row->name), "%s: %s", arch->sim->name, stack->name);
	tests[n_tests++] = (struct CMUnitTest){
		.name = row->name,
		.test_func = run_row,
		.initial_state = row,
	};
}

int main(void)
{
	memcpy(tests, fixed_tests, sizeof(fixed_tests));
	for (u32 g = 0; g < STACK_N_GROUPS; g++)
		for (u32 i = 0; i < stack_groups[g].n; i++)
			for (u32 a = 0; a < N_ARCHS; a++)
				add_row(&stack_groups[g].stacks[i], &arch_rows[a]);
	return check_run("stacks", tests, n_tests);
}
