/* SPDX-License-Identifier: BSD-2-Clause */

/* Lines of functions at a deoptimization exit, in the code of fake_deopt_exits(). */

#include <string.h>

#include "../../inspect/v8/v8_out_of_line.h"
#include "../check.h"
#include "fake_world.h"

/* Return addresses of the exits, as offsets in the code. */
enum { OF_INNER = 48, OF_TWO_PLACES = 52, OF_OUTER = 56, OF_CALL = 60 };
#define EXIT_OF_CALL 56
#define MAX_READS 120

static struct fake_v8 v;
static struct fake_world w;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];
static u64 start;

static struct v8_heap *set_up(bool is_cleared)
{
	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
	start = fake_deopt_exits(&v, &w, is_cleared);
	return fake_heap(&v);
}

static int name_caller(struct v8_heap *h, const struct uw_frame *callee,
		       const struct uw_frame *frame)
{
	sample.n_frames = 2;
	sample.frames[0] = *callee;
	sample.frames[1] = *frame;
	return v8_heap_name(h, &sample, 1, names);
}

static const struct uw_frame native = { .kind = UW_NATIVE };
static const struct uw_frame deoptimizer = { .pc = FAKE_BLOB_ADDR + FAKE_DEOPT + 8,
					     .kind = UW_V8_CODE,
					     .status = UW_F_NO_FRAME,
					     .flags = UW_FRAME_RA };

/*
 * Symbolizes the function that has taken the exit with return address @ra, while the function's
 * frame is on the stack.
 */
static int name_at_exit(struct v8_heap *h, u32 ra)
{
	struct uw_frame f = fake_js(start + ra, w.outer, 0, 0, UW_FRAME_RA);

	return name_caller(h, &deoptimizer, &f);
}

/*
 * Symbolizes the function that has taken the exit with return address @ra, after the function's
 * frame was removed.
 */
static int name_without_frame(struct v8_heap *h, u32 ra)
{
	struct uw_frame f = fake_js(deoptimizer.pc, w.outer, start + ra, 0, UW_FRAME_RA);

	return name_caller(h, &native, &f);
}

/*
 * Symbolizes the function whose code was deoptimized while this function called
 * @callee.
 */
static int name_waiting_caller(struct v8_heap *h, const struct uw_frame *callee)
{
	struct uw_frame f = fake_js(start + EXIT_OF_CALL, w.outer, 0, 0, UW_FRAME_RA);

	return name_caller(h, callee, &f);
}

static void check_name(const struct v8_name *name, const char *function, u32 line)
{
	assert_string_equal(name->name, function);
	assert_int_equal(name->line, line);
	assert_int_equal(name->tier, V8_TIER_TURBOFAN);
	if (line)
		assert_null(name->reason);
	else
		assert_string_equal(name->reason, v8_no_exit);
}

static void function_that_returns_to_a_deopt_exit_has_the_line_of_the_failed_check(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	assert_int_equal(name_at_exit(h, OF_INNER), 2);
	check_name(&names[0], "inner", 4);
	check_name(&names[1], "outer", 2);
	assert_true(names[0].inlined);
	assert_int_equal(name_at_exit(h, OF_OUTER), 1);
	check_name(&names[0], "outer", 4);
	v8_heap_free(&h);
}

static void function_whose_frame_is_gone_has_the_line_of_the_failed_check(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	assert_int_equal(name_without_frame(h, OF_INNER), 3);
	assert_string_equal(names[0].name, "DeoptimizationEntry_Eager");
	assert_int_equal((int)names[0].kind, V8_NAME_BUILTIN);
	check_name(&names[1], "inner", 4);
	check_name(&names[2], "outer", 2);
	v8_heap_free(&h);
}

/*
 * V8 8.4 generates the entry to the deoptimizer at run time, in memory outside of all functions'
 * code.
 */
static void function_at_a_deopt_exit_in_v8_8_4_has_the_line_of_the_failed_check(void **state)
{
	static const u32 others[] = { 0, OF_INNER + 1 };
	struct v8_heap *h = set_up(false);
	struct uw_frame f;
	u64 entry;

	(void)state;
	fake_code(&v, KIND_STUB, 16, 0, 0, &entry);
	for (u32 pushed = 0; pushed <= 256; pushed += 256) {
		v.build.layout.deopt_pushed = (u16)pushed;
		f = fake_js(entry + 8, w.outer, start + OF_INNER, 0, UW_FRAME_RA);
		assert_int_equal(name_caller(h, &native, &f), pushed ? 3 : 1);
		if (pushed) {
			assert_string_equal(names[0].name, "DeoptimizationEntry");
			assert_int_equal((int)names[0].kind, V8_NAME_BUILTIN);
			check_name(&names[1], "inner", 4);
			check_name(&names[2], "outer", 2);
		}
		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
			f.b = start + others[i];
			assert_int_equal(name_caller(h, &native, &f), 1);
			assert_string_equal(names[0].name, "outer");
			assert_int_equal(names[0].line, 0);
			assert_non_null(names[0].reason);
		}
	}
	v8_heap_free(&h);
}

/* Only the word at sp, an exit's return address, shows that the function has taken an exit. */
static void function_that_enters_the_deoptimizer_has_the_line_of_the_failed_check(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	sample.n_frames = 1;
	sample.pc = FAKE_BLOB_ADDR + FAKE_DEOPT;
	sample.sp_words[0] = start + OF_INNER;
	sample.frames[0] = fake_js(sample.pc, w.outer, 0, 0, 0);
	assert_int_equal(v8_heap_name(h, &sample, 0, names), 3);
	assert_string_equal(names[0].name, "DeoptimizationEntry_Eager");
	check_name(&names[1], "inner", 4);
	check_name(&names[2], "outer", 2);
	v8_heap_free(&h);
}

/* The bytes are like those of an exit, but V8 records that the exits start after these bytes. */
static void call_before_the_first_deopt_exit_is_not_treated_as_a_deopt_exit(void **state)
{
	static const u8 call[] = { 0x41, 0xff, 0x55, 0xd8 };
	struct v8_heap *h = set_up(false);

	(void)state;
	fake_bytes(&v, start + 38, call, sizeof(call));
	assert_int_equal(name_without_frame(h, 42), 1);
	assert_string_equal(names[0].name, "outer");
	assert_string_equal(names[0].reason, "pc in a builtin");
	v8_heap_free(&h);
}

static void function_with_pc_in_a_deopt_exit_has_the_line_of_the_failed_check(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	sample.n_frames = 1;
	for (u32 off = OF_INNER - 4; off < OF_INNER - 1; off++) {
		sample.frames[0] = fake_js(start + off, w.outer, 0, 0, 0);
		assert_int_equal(v8_heap_name(h, &sample, 0, names), 2);
		check_name(&names[0], "inner", 4);
		check_name(&names[1], "outer", 2);
	}
	v8_heap_free(&h);
}

static void function_at_a_deopt_exit_that_two_checks_share_has_no_line(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	assert_int_equal(name_at_exit(h, OF_TWO_PLACES), 1);
	check_name(&names[0], "outer", 0);
	v8_heap_free(&h);
}

static void caller_that_would_return_to_a_deopt_exit_has_the_line_of_the_call(void **state)
{
	struct uw_frame gone;
	struct v8_heap *h = set_up(false);

	(void)state;
	assert_int_equal(name_at_exit(h, OF_CALL), 1);
	check_name(&names[0], "outer", 2);
	assert_int_equal(name_waiting_caller(h, &native), 1);
	check_name(&names[0], "outer", 2);
	/*
	 * The callee has taken an exit itself: pc is in the deoptimizer, so the word is not the
	 * return address of a call.
	 */
	gone = fake_js(deoptimizer.pc, w.inner, start + OF_OUTER, 0, UW_FRAME_RA);
	assert_int_equal(name_waiting_caller(h, &gone), 1);
	check_name(&names[0], "outer", 2);
	v8_heap_free(&h);
}

/*
 * The deoptimization points of Maglev code give the position of the exit itself, and this code has
 * no safepoints.
 */
static void caller_in_maglev_code_has_no_line_if_it_would_return_to_a_deopt_exit(void **state)
{
	struct v8_heap *h = set_up(false);

	(void)state;
	v.build.layout.code_kind_baseline++;
	v.build.layout.lacks[V8_TIER_MAGLEV] = 0;
	assert_int_equal(name_waiting_caller(h, &native), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].tier, V8_TIER_MAGLEV);
	assert_int_equal(names[0].line, 0);
	v8_heap_free(&h);
}

static void only_the_outer_function_has_lines_if_the_code_was_discarded(void **state)
{
	struct v8_heap *h = set_up(true);

	(void)state;
	assert_int_equal(name_without_frame(h, OF_OUTER), 2);
	check_name(&names[1], "outer", 4);
	assert_int_equal(name_without_frame(h, OF_INNER), 2);
	assert_string_equal(names[1].name, "outer");
	assert_int_equal(names[1].line, 0);
	v8_heap_free(&h);
}

/*
 * In discarded code it is unknown which bytes are exits; all bytes after the last entry of the
 * position table are treated as exits.
 */
static void caller_in_discarded_code_has_no_line_if_it_would_return_to_an_exit(void **state)
{
	struct v8_heap *h = set_up(true);

	(void)state;
	assert_int_equal(name_waiting_caller(h, &native), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].tier, V8_TIER_TURBOFAN);
	assert_int_equal(names[0].line, 0);
	assert_non_null(names[0].reason);
	v8_heap_free(&h);
}

/*
 * The lines come from the first and last entries of the position table. In V8 8.4, the other
 * entries can only be those of calls with several targets.
 */
static void caller_in_discarded_code_has_the_line_from_the_position_table(void **state)
{
	static const u32 offs[] = { 31, 42 }, lines[] = { 4, 2 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct v8_heap *h = set_up(true);
		struct uw_frame f = fake_js(start + offs[i % 2], w.outer, 0, 0, UW_FRAME_RA);

		v.build.layout.lacks[V8_TIER_TURBOFAN] = i / 2 ? V8_NO_CALLS : 0;
		assert_int_equal(name_caller(h, &native, &f), 1);
		check_name(&names[0], "outer", lines[i % 2]);
		v8_heap_free(&h);
	}
}

/* These words are not the return address of an exit or of a call. */
static void function_has_no_line_if_the_word_at_sp_is_not_a_return_address(void **state)
{
	static const u32 others[] = { 13, 44, 46, 49, 61, 1 << 12 };
	struct v8_heap *h = set_up(false);

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		assert_int_equal(name_without_frame(h, others[i]), 1);
		assert_string_equal(names[0].name, "outer");
		assert_int_equal(names[0].line, 0);
		assert_non_null(names[0].reason);
	}
	v8_heap_free(&h);
}

static void function_has_the_right_line_or_none_if_a_read_fails(void **state)
{
	u32 n_lines = 0;

	(void)state;
	for (int n = 1; n < MAX_READS; n++)
		for (int is_call = 0; is_call < 2; is_call++) {
			struct v8_heap *h = set_up(false);
			const struct v8_name *outer;

			v.fault_every = n;
			outer = &names[(is_call ? name_waiting_caller(h, &native)
						: name_at_exit(h, OF_OUTER)) -
				       1];
			if (outer->name)
				assert_string_equal(outer->name, "outer");
			if (outer->line)
				assert_int_equal(outer->line, is_call ? 2 : 4);
			else
				assert_non_null(outer->reason);
			n_lines += outer->line > 0;
			v.fault_every = 0;
			v8_heap_free(&h);
		}
	assert_in_range(n_lines, 2, 2 * MAX_READS - 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			function_that_returns_to_a_deopt_exit_has_the_line_of_the_failed_check),
		cmocka_unit_test(
			function_that_enters_the_deoptimizer_has_the_line_of_the_failed_check),
		cmocka_unit_test(call_before_the_first_deopt_exit_is_not_treated_as_a_deopt_exit),
		cmocka_unit_test(function_with_pc_in_a_deopt_exit_has_the_line_of_the_failed_check),
		cmocka_unit_test(function_whose_frame_is_gone_has_the_line_of_the_failed_check),
		cmocka_unit_test(
			function_at_a_deopt_exit_in_v8_8_4_has_the_line_of_the_failed_check),
		cmocka_unit_test(function_at_a_deopt_exit_that_two_checks_share_has_no_line),
		cmocka_unit_test(caller_that_would_return_to_a_deopt_exit_has_the_line_of_the_call),
		cmocka_unit_test(
			caller_in_maglev_code_has_no_line_if_it_would_return_to_a_deopt_exit),
		cmocka_unit_test(only_the_outer_function_has_lines_if_the_code_was_discarded),
		cmocka_unit_test(
			caller_in_discarded_code_has_no_line_if_it_would_return_to_an_exit),
		cmocka_unit_test(caller_in_discarded_code_has_the_line_from_the_position_table),
		cmocka_unit_test(function_has_no_line_if_the_word_at_sp_is_not_a_return_address),
		cmocka_unit_test(function_has_the_right_line_or_none_if_a_read_fails),
	};

	return CHECK_RUN(tests);
}
