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

static void stack_of_1025_frames_ends_at_the_depth_limit(void **state)
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

/* The frame record is the last thing on the stack, and the memory after the stack is unreadable. */
static void frame_record_is_read_completely_at_any_offset_in_a_page(void **state)
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
static void frame_records_are_read_at_any_distance_from_each_other(void **state)
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

/*
 * A record that is only guessed, because there are no rows, may cross the end of a page. Then the
 * walk reads the 16 bytes of the record and no bytes after it.
 */
static void guessed_record_that_spans_two_pages_is_read_without_the_bytes_after_it(void **state)
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
static void frames_in_the_same_window_are_fetched_by_one_read(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_ARCHS; i++) {
		struct stack stack = chain(257, 0, CHAIN_STRIDE);

		assert_int_equal(walk(&stack, &arch_rows[i])->n_reads, 256 / 32);
	}
}

/*
 * Each frame record must be at a higher address than the previous one. Without this rule, the walk
 * of this cyclic chain would never end.
 */
static void walk_ends_at_records_that_point_at_each_other(void **state)
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
		cmocka_unit_test(stack_of_1025_frames_ends_at_the_depth_limit),
		cmocka_unit_test(frame_record_is_read_completely_at_any_offset_in_a_page),
		cmocka_unit_test(frame_records_are_read_at_any_distance_from_each_other),
		cmocka_unit_test(
			guessed_record_that_spans_two_pages_is_read_without_the_bytes_after_it),
		cmocka_unit_test(frames_in_the_same_window_are_fetched_by_one_read),
		cmocka_unit_test(walk_ends_at_records_that_point_at_each_other),
	};

	return CHECK_RUN(tests);
}
