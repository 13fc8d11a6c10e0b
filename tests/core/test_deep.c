// SPDX-License-Identifier: BSD-2-Clause

/*
 * Stacks with many frames, and frames at every offset in a page: the depth limit, the
 * stack window, and the reads of a walk.
 */

#include "chain.h"
#include "walks.h"

static const struct uw_sample *walk(const struct stack *stack, const struct arch_row *arch)
{
	struct uw_state *u = fresh_state();
	struct sim_target target;

	target_of(stack, arch, &target);
	arch->sim->walk(u, &target);
	sim_mem_free(&target.mem);
	return &u->sample;
}

static void stack_of_1024_frames_is_complete(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct stack stack = chain(1024, 0, CHAIN_STRIDE);
		const struct uw_sample *s = walk(&stack, &arch_rows[i]);

		assert_int_equal(s->n_frames, 1024);
		assert_int_equal(s->status, UW_END);
		assert_int_equal(s->frames[1023].pc, LIBC(0x128));
	}
}

static void frame_1025_is_beyond_the_depth_limit(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct stack stack = chain(1025, 0, CHAIN_STRIDE);
		const struct uw_sample *s = walk(&stack, &arch_rows[i]);

		assert_int_equal(s->n_frames, 1024);
		assert_int_equal(s->status, UW_T_DEPTH);
		assert_int_equal(s->frames[1023].pc, APP(0x200));
	}
}

/* The record is at the end of the stack, and nothing after the stack is readable. */
static void record_is_read_at_any_offset_in_its_page(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++)
		for (u32 first = 0; first <= 1022; first++) {
			struct stack stack = chain(2, first, 0);
			const struct uw_sample *s;

			s = walk(&stack, &arch_rows[i]);
			assert_int_equal(s->n_frames, 2);
			assert_int_equal(s->status, UW_END);
			assert_int_equal(s->fault_addr, 0);
			assert_int_equal(s->n_reads, first == 511 ? 2 : 1); /* 2: across pages */
		}
}

/* Three records at distances that cross windows and pages. */
static void records_are_read_at_any_distance(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++)
		for (u32 stride = 2; stride < 700; stride += 3) {
			struct stack stack = chain(4, stride % 7, stride);
			const struct uw_sample *s = walk(&stack, &arch_rows[i]);

			assert_int_equal(s->n_frames, 4);
			assert_int_equal(s->status, UW_END);
			assert_int_equal(s->fault_addr, 0);
		}
}

/* When the record is only a guess, a read across a page end covers the record and nothing more. */
static void record_across_two_pages_reads_no_further_in_the_second(void **state)
{
	struct sim_read reads[8];

	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct sim_read_log log = { reads, 8, 0 };
		struct stack stack = chain(2, 511, 0);
		struct uw_state *u = fresh_state();
		struct sim_target target;

		stack.no_rows = true;
		target_of(&stack, &arch_rows[i], &target);
		target.mem->log = &log;
		arch_rows[i].sim->walk(u, &target);
		sim_mem_free(&target.mem);
		assert_int_equal(u->sample.status, UW_T_GUESSED);
		assert_int_equal(log.n, 2);
		assert_int_equal(reads[0].addr, APP(0x108));
		assert_int_equal(reads[0].len, 4);
		assert_int_equal(reads[1].addr, S(511));
		assert_int_equal(reads[1].len, 16);
	}
}

/* A window is 1 KiB, 32 frames of 4 words. */
static void small_frames_share_a_read(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct stack stack = chain(257, 0, CHAIN_STRIDE);

		assert_int_equal(walk(&stack, &arch_rows[i])->n_reads, 256 / 32);
	}
}

/*
 * A chain of records must go up or end. Without that limit, this cyclic chain would hang the walk.
 */
static void walk_ends_when_two_records_point_at_each_other(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct stack stack = chain(4, 0, CHAIN_STRIDE);
		const struct uw_sample *s;

		chained[CHAIN_STRIDE] = S(0);
		s = walk(&stack, &arch_rows[i]);
		assert_int_equal(s->n_frames, 3);
		assert_int_equal(s->status, UW_E_CFA);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_of_1024_frames_is_complete),
		cmocka_unit_test(frame_1025_is_beyond_the_depth_limit),
		cmocka_unit_test(record_is_read_at_any_offset_in_its_page),
		cmocka_unit_test(records_are_read_at_any_distance),
		cmocka_unit_test(record_across_two_pages_reads_no_further_in_the_second),
		cmocka_unit_test(small_frames_share_a_read),
		cmocka_unit_test(walk_ends_when_two_records_point_at_each_other),
	};

	return CHECK_RUN(tests);
}
