/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests which resolver locates a pc, in code for which only one resolver can be right
 * (fake_world.h).
 */

#include <limits.h>
#include <string.h>

#include "../../inspect/v8/v8_deopt.h"
#include "../check.h"
#include "fake_world.h"

#define MAX_ASKED 16
#define POINT_1_TRANSLATION 16 /* offset in the deoptimization data of fake_world.c */

static struct fake_v8 v;
static struct fake_world w;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];
static struct v8_asked asked[MAX_ASKED];
static u32 n_asked;
static int n_names;
static char innermost[64]; /* a copy, because the name is freed with the heap */

static const char *const order[] = {
	"eager deoptimization", "lazy deoptimization",	 "safepoint",	   "deferred code",
	"points around it",	"bytecode offset table", "position table", "whole function"
};

static const struct uw_frame native = { .kind = UW_NATIVE };
static const struct uw_frame deoptimizer = { .pc = FAKE_BLOB_ADDR + FAKE_DEOPT + 8,
					     .kind = UW_V8_CODE,
					     .status = UW_F_NO_FRAME,
					     .flags = UW_FRAME_RA };

static void note(void *ctx, const struct v8_asked *a)
{
	(void)ctx;
	assert_in_range(n_asked, 0, MAX_ASKED - 1);
	asked[n_asked++] = *a;
}

/*
 * Checks that the resolvers were asked in order, and that each resolver without an answer gave a
 * reason or another pc.
 */
static void check_asked(void)
{
	for (u32 i = 0; i < n_asked; i++) {
		assert_in_range(i, 0, sizeof(order) / sizeof(*order) - 1);
		assert_string_equal(asked[i].resolver, order[i]);
		if (!strcmp(asked[i].verdict, "declines") || !strcmp(asked[i].verdict, "gives up"))
			assert_non_null(asked[i].reason);
		else
			assert_null(asked[i].reason);
	}
}

/* Symbolizes a frame of outer() that called @callee; returns the last resolver that was asked. */
static const struct v8_asked *locate(u64 pc, u8 flags, const struct uw_frame *callee)
{
	struct v8_heap *h = fake_heap(&v);

	sample.n_frames = 2;
	sample.frames[0] = *callee;
	sample.frames[1] = fake_js(pc, w.outer, 0, 0, flags);
	n_asked = 0;
	v8_heap_explain(h, note, NULL);
	n_names = v8_heap_name(h, &sample, 1, names);
	assert_in_range(n_names, 1, 2);
	snprintf(innermost, sizeof(innermost), "%s", names[0].name);
	v8_heap_free(&h);
	check_asked();
	assert_in_range(n_asked, 1, MAX_ASKED);
	return &asked[n_asked - 1];
}

static void check_last(const struct v8_asked *last, const char *resolver, u64 pc)
{
	assert_string_equal(last->resolver, resolver);
	assert_string_equal(last->verdict, "answers");
	assert_int_equal(last->pc, pc);
}

/* Checks that the resolver with this name replaced the pc by @pc. */
static void check_moved(const char *name, u64 pc)
{
	for (u32 i = 0; i < n_asked; i++)
		if (!strcmp(asked[i].resolver, name)) {
			assert_string_equal(asked[i].verdict, "moves");
			assert_int_equal(asked[i].pc, pc);
			return;
		}
	fail_msg("%s was not asked", name);
}

static void position_in_baseline_code_is_found_in_the_bytecode_offset_table(void **state)
{
	(void)state;
	fake_world(&v, &w);
	check_last(locate(w.baseline_start + 8, 0, &native), "bytecode offset table",
		   w.baseline_start + 8);
}

static void position_in_optimized_code_is_found_in_the_position_table(void **state)
{
	(void)state;
	fake_world(&v, &w);
	check_last(locate(w.turbofan_start + 20, 0, &native), "position table",
		   w.turbofan_start + 20);
}

static void position_in_code_without_a_table_is_found_by_deoptimization_points(void **state)
{
	(void)state;
	fake_world(&v, &w);
	check_last(locate(w.maglev_start + 20, 0, &native), "points around it",
		   w.maglev_start + 20);
}

/*
 * Gives the first deoptimization point the translation of the second, so that both points are in
 * inner().
 */
static void code_before_or_after_all_deoptimization_points_is_in_the_outer_function(void **state)
{
	static const u32 offs[] = { 4, 38 };
	struct v8_code code;
	struct v8_heap *h;

	(void)state;
	for (int i = 0; i < 2; i++) {
		fake_world(&v, &w);
		h = fake_heap(&v);
		assert_int_equal(v8_code_find(h, w.maglev_start, &code), 0);
		v8_heap_free(&h);
		fake_put(&v, code.deopt - 1 + v.build.layout.array_data + POINT_1_TRANSLATION * 8,
			 fake_smi(0));
		check_last(locate(w.maglev_start + offs[i], 0, &native), "points around it",
			   w.maglev_start + offs[i]);
		assert_int_equal(n_names, 1);
		assert_string_equal(innermost, "outer");
	}
}

static void pc_at_a_deopt_exit_has_the_position_of_the_failed_check(void **state)
{
	u64 start;

	(void)state;
	fake_world(&v, &w);
	start = fake_deopt_exits(&v, &w, false);
	check_last(locate(start + 48, UW_FRAME_RA, &deoptimizer), "position table", start + 16);
	check_moved("eager deoptimization", start + 16);
}

static void call_that_would_return_to_a_deopt_exit_has_the_position_of_the_call(void **state)
{
	u64 start;

	(void)state;
	fake_world(&v, &w);
	start = fake_deopt_exits(&v, &w, false);
	check_last(locate(start + 56, UW_FRAME_RA, &native), "position table", start + 12);
	check_moved("lazy deoptimization", start + 12);
}

static void deopt_exit_that_two_checks_share_has_no_position(void **state)
{
	const struct v8_asked *last;

	(void)state;
	fake_world(&v, &w);
	last = locate(fake_deopt_exits(&v, &w, false) + 52, UW_FRAME_RA, &deoptimizer);
	assert_string_equal(last->resolver, "eager deoptimization");
	assert_string_equal(last->verdict, "gives up");
}

static void call_whose_position_is_wrong_has_the_position_from_the_safepoint(void **state)
{
	u64 start;

	(void)state;
	fake_world(&v, &w);
	start = fake_deferred_code(&v, &w);
	check_last(locate(start + 8, UW_FRAME_RA, &native), "safepoint", start + 7);
}

static void deferred_code_has_the_position_of_the_instruction_that_jumps_to_it(void **state)
{
	u64 start;

	(void)state;
	fake_world(&v, &w);
	start = fake_deferred_code(&v, &w);
	check_last(locate(start + 47, 0, &native), "position table", start + 24);
	check_moved("deferred code", start + 24);
}

static void code_has_the_whole_function_as_position_if_no_table_contains_the_pc(void **state)
{
	u64 start;

	(void)state;
	fake_world(&v, &w);
	start = fake_deferred_code(&v, &w);
	v.build.layout.deopt_form = V8_DEOPT_UNKNOWN;
	check_last(locate(start + 50, 0, &native), "whole function", start + 50);
	assert_string_equal(names[0].reason, v8_no_line);
}

/* Without an observer, the same frame is answered from the cache of names. */
static void cache_of_names_is_not_used_with_an_observer(void **state)
{
	struct v8_heap *h;

	(void)state;
	fake_world(&v, &w);
	h = fake_heap(&v);
	sample.n_frames = 1;
	sample.frames[0] = fake_js(w.turbofan_start + 20, w.outer, 0, 0, 0);
	v8_heap_name(h, &sample, 0, names);
	n_asked = 0;
	v8_heap_explain(h, note, NULL);
	v8_heap_name(h, &sample, 0, names);
	assert_in_range(n_asked, 1, MAX_ASKED);
	v8_heap_explain(h, NULL, NULL);
	n_asked = 0;
	v8_heap_name(h, &sample, 0, names);
	assert_int_equal(n_asked, 0);
	v8_heap_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_in_baseline_code_is_found_in_the_bytecode_offset_table),
		cmocka_unit_test(position_in_optimized_code_is_found_in_the_position_table),
		cmocka_unit_test(
			position_in_code_without_a_table_is_found_by_deoptimization_points),
		cmocka_unit_test(
			code_before_or_after_all_deoptimization_points_is_in_the_outer_function),
		cmocka_unit_test(pc_at_a_deopt_exit_has_the_position_of_the_failed_check),
		cmocka_unit_test(
			call_that_would_return_to_a_deopt_exit_has_the_position_of_the_call),
		cmocka_unit_test(deopt_exit_that_two_checks_share_has_no_position),
		cmocka_unit_test(call_whose_position_is_wrong_has_the_position_from_the_safepoint),
		cmocka_unit_test(
			deferred_code_has_the_position_of_the_instruction_that_jumps_to_it),
		cmocka_unit_test(
			code_has_the_whole_function_as_position_if_no_table_contains_the_pc),
		cmocka_unit_test(cache_of_names_is_not_used_with_an_observer),
	};

	return CHECK_RUN(tests);
}
