/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lines of frames found by deoptimization points, in the fake heap. test_v8_names.c names that
 * heap's Maglev frames with failing and corrupt reads.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../../inspect/v8/v8_resolver.h"
#include "../check.h"
#include "fake_meta.h"
#include "name_frame.h"

/* Symbolizes a frame of a function whose entire code is on line 2. */
static void code_without_positions_has_a_line_if_the_function_has_only_one_line(void **state)
{
	static const u8 table[] = { 0x02, 0x3c };
	struct uw_frame f;
	struct v8_heap *h;

	(void)state;
	fake_world(&v, &w);
	fake_put(&v, w.inner_bytecode - 1 + v.build.layout.bytecode_positions,
		 fake_byte_array(&v, table, sizeof(table)));
	f = fake_js(w.maglev_start + 20, w.outer, 0, 0, 0);
	h = fake_heap(&v);
	assert_int_equal(name_frame(h, &f), 2);
	assert_string_equal(names[0].name, "inner");
	assert_int_equal(names[0].line, 2);
	assert_int_equal(names[0].column, 0);
	v8_heap_free(&h);
}

static void check_call(enum fake_call how, bool is_wrong, const char *callee, u32 line)
{
	struct uw_frame f;
	struct v8_heap *h;

	fake_world(&v, &w);
	v.build.layout.lacks[V8_TIER_TURBOFAN] = is_wrong ? V8_NO_CALLS : 0;
	f = fake_js(fake_inlined_call(&v, &w, how) + 20, w.outer, 0, 0, 0);
	h = fake_heap(&v);
	assert_int_equal(name_frame(h, &f), 2);
	assert_string_equal(names[0].name, callee);
	assert_int_equal(names[0].line, 2);
	assert_string_equal(names[1].name, "outer");
	assert_int_equal(names[1].line, line);
	if (line)
		assert_null(names[1].reason);
	else
		assert_string_equal(names[1].reason, v8_no_line);
	v8_heap_free(&h);
}

/*
 * V8's position of the call is on line 2, but the bytecode at which execution would resume after
 * the check is on line 4.
 */
static void call_whose_position_is_wrong_has_the_line_from_the_safepoint(void **state)
{
	(void)state;
	check_call(FAKE_CALL_SEEN, false, "inner", 2);
	check_call(FAKE_CALL_SEEN, true, "inner", 4);
	check_call(FAKE_CALL_OF_ITSELF, true, "outer", 4);
}

/*
 * If there are several possible calls, the position decides; in the second part of the test,
 * several calls have the same position.
 */
static void call_without_a_safepoint_has_a_line_only_if_one_call_matches(void **state)
{
	(void)state;
	check_call(FAKE_CALL_UNSEEN, true, "inner", 2);
	check_call(FAKE_CALL_OF_TWO, true, "inner", 0);
	check_call(FAKE_CALL_ALSO_MADE, true, "inner", 0);
	check_call(FAKE_CALL_ALSO_MADE, false, "inner", 2);
}

/* Lengthens the position table of @bytecode to @len bytes; the first added byte ends the table. */
static void lengthen_positions(u64 bytecode, u32 len)
{
	static u8 longer[64 << 10];
	const struct v8_layout *l = &v.build.layout;
	u64 table;
	u32 old_len;

	memcpy(&table, v.heap + (bytecode - 1 + l->bytecode_positions - FAKE_HEAP_ADDR), 8);
	memcpy(&old_len, v.heap + (table - 1 + l->array_length + 4 - FAKE_HEAP_ADDR), 4);
	memset(longer, 0x80, sizeof(longer));
	memcpy(longer, v.heap + (table - 1 + l->array_data - FAKE_HEAP_ADDR), old_len);
	fake_put(&v, bytecode - 1 + l->bytecode_positions, fake_byte_array(&v, longer, len));
}

/*
 * Returns the number of reads of the target that symbolizing one frame of fake_checks() takes.
 * *line is set to the caller's line. @n_positions: new length of the caller's position table; 0:
 * unchanged.
 */
static int reads_of(u32 n_checks, u32 n_exits, u32 n_positions, u32 *line)
{

	struct uw_frame f;
	struct v8_heap *h;
	int before;

	fake_world(&v, &w);
	v.build.layout.lacks[V8_TIER_TURBOFAN] = V8_NO_CALLS;
	if (n_positions)
		lengthen_positions(w.bytecode, n_positions);
	f = fake_js(fake_checks(&v, &w, n_checks, n_exits) + 20, w.outer, 0, 0, 0);
	h = fake_heap(&v);
	before = v.reads;
	assert_int_equal(name_frame(h, &f), 2);
	*line = names[1].line;
	v8_heap_free(&h);
	return v.reads - before;
}

/*
 * For each bytecode at which the caller may be, the position table is searched, which takes reads.
 */
static void number_of_reads_is_limited_for_a_caller_with_many_candidate_points(void **state)
{
	u32 line;
	int few, many;

	(void)state;
	few = reads_of(100, 100, 0, &line);
	many = reads_of(300, 300, 0, &line);
	assert_in_range(many, few + 100, INT_MAX);
	assert_int_equal(reads_of(FAKE_MAX_EXITS, FAKE_MAX_EXITS, 0, &line), many);
	assert_int_equal(line, 0);
}

/*
 * To symbolize one frame, at most 64 tables of 64 KiB are read; for later tables only the length is
 * read.
 */
static void number_of_reads_of_long_position_tables_is_limited(void **state)
{
	u32 line;
	int few, some, many;

	(void)state;
	few = reads_of(20, 20, 64 << 10, &line);
	some = reads_of(60, 60, 64 << 10, &line);
	many = reads_of(250, 250, 64 << 10, &line);
	assert_int_equal(line, 0);
	assert_in_range(many - some, 1, 3 * (some - few));
}

static void caller_with_too_many_candidate_points_has_no_line(void **state)
{
	u32 line;

	(void)state;
	reads_of(4096, 1, 0, &line);
	assert_int_equal(line, 4);
	reads_of(4097, 1, 0, &line);
	assert_int_equal(line, 0);
}

/*
 * The checks at 0, 6 and 12 belong to the same bytecode of inner(). The code of inner() may end
 * after the last check.
 */
static void code_after_the_last_deoptimization_point_is_in_the_outer_function(void **state)
{
	static const struct {
		u8 off;
		int n;
	} places[] = { { 0, 2 }, { 11, 2 }, { 14, 1 }, { 17, 1 } };
	struct v8_heap *h;
	struct uw_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		fake_world(&v, &w);
		v.build.layout.lacks[V8_TIER_TURBOFAN] = V8_NO_POSITIONS;
		f = fake_js(fake_checks(&v, &w, 3, 1) + places[i].off, w.outer, 0, 0, 0);
		h = fake_heap(&v);
		assert_int_equal(name_frame(h, &f), places[i].n);
		if (places[i].n == 2)
			assert_string_equal(names[0].name, "inner");
		assert_string_equal(names[places[i].n - 1].name, "outer");
		v8_heap_free(&h);
	}
}

/* The points that Maglev's code has: all points, only those of calls, or none. */
static enum { ALL_POINTS, CALLS, NO_POINTS } known;

static void forget_points(void)
{
	v.build.arch = known == CALLS ? &v8_arm64 : &v8_x86_64;
	if (known == NO_POINTS) {
		v.build.layout.deopt_form = V8_DEOPT_UNKNOWN;
		v.build.layout.deopt_entries_idx = 0;
	}
}

/*
 * Expects line @inner of inner() and line @outer of outer() at @off of fake_deferred_code(). @inner
 * 0: expects no frame of inner().
 */
static void check_place(u32 off, u8 flags, u32 inner, u32 outer)
{
	struct uw_frame f;
	struct v8_heap *h;
	int n;

	fake_world(&v, &w);
	f = fake_js(fake_deferred_code(&v, &w) + off, w.outer, 0, 0, flags);
	forget_points();
	h = fake_heap(&v);
	n = name_frame(h, &f);
	assert_int_equal(n, 1 + (inner > 0));
	if (inner) {
		assert_string_equal(names[0].name, "inner");
		assert_int_equal(names[0].line, known == NO_POINTS ? 0 : inner);
	}
	assert_string_equal(names[n - 1].name, "outer");
	assert_int_equal(names[n - 1].line, outer);
	v8_heap_free(&h);
}

static void call_in_maglev_code_has_the_lines_from_the_safepoint(void **state)
{
	(void)state;
	check_place(8, UW_FRAME_RA, 0, 2);
	check_place(36, UW_FRAME_RA, 4, 4);
}

static void call_in_deferred_code_has_the_line_from_the_safepoint(void **state)
{
	(void)state;
	check_place(46, UW_FRAME_RA, 0, 2);
}

static void call_in_deoptimized_code_has_the_line_from_the_safepoint(void **state)
{
	(void)state;
	check_place(60, UW_FRAME_RA, 0, 2);
	check_place(64, UW_FRAME_RA, 4, 4);
}

/*
 * From offset 38 on, the last entry of the position table applies, which is for the outer function.
 */
static void deferred_code_has_the_line_of_the_instruction_that_jumps_to_it(void **state)
{
	(void)state;
	for (u32 off = 41; off < 52; off++)
		if (off != 45)
			check_place(off, 0, 4, 4);
	check_place(39, 0, 0, 4);
}

/* The position table gives line 2 for the call. */
static void call_of_an_inlined_function_has_the_line_from_deoptimization_points(void **state)
{
	(void)state;
	check_place(20, 0, 4, 4);
}

/*
 * On arm64 only calls have deoptimization points; for a version without a known layout no points
 * are known.
 */
static void maglev_code_without_deoptimization_points_has_no_line(void **state)
{
	(void)state;
	for (known = CALLS; known <= NO_POINTS; known++) {
		check_place(20, 0, 4, 0);
		for (u32 off = 39; off < 52; off++)
			if (off != 45)
				check_place(off, 0, 0, 0);
		check_place(8, 0, 0, known == CALLS ? 2 : 0);
	}
	known = NO_POINTS;
	check_place(8, UW_FRAME_RA, 0, 0);
	check_place(46, UW_FRAME_RA, 0, 0);
	known = CALLS;
	check_place(46, UW_FRAME_RA, 0, 2);
	known = ALL_POINTS;
}

/*
 * Without deoptimization points, it is unknown which entries of the position table are for the
 * function.
 */
static void discarded_maglev_code_has_no_line(void **state)
{
	(void)state;
	for (int is_wrong = 0; is_wrong < 2; is_wrong++)
		for (u32 off = 4; off < 14; off++) {
			struct v8_code code;
			struct uw_frame f;
			struct v8_heap *h;

			fake_world(&v, &w);
			f = fake_js(fake_deferred_code(&v, &w) + off, w.outer, 0, 0, 0);
			v.build.layout.lacks[V8_TIER_MAGLEV] = is_wrong ? V8_NO_DEFERRED : 0;
			h = fake_heap(&v);
			assert_int_equal(v8_code_find(h, f.pc, &code), 0);
			fake_put(&v, code.deopt - 1 + v.build.layout.array_length, fake_smi(0));
			assert_int_equal(name_frame(h, &f), 1);
			assert_string_equal(names[0].name, "outer");
			assert_int_equal(names[0].tier, V8_TIER_MAGLEV);
			assert_int_equal(names[0].line, is_wrong ? 0 : 2);
			v8_heap_free(&h);
		}
}

/*
 * If a version uses the layout of another one, the votes of functions on this layout would not
 * detect wrong offsets of deoptimization points.
 */
static void deoptimization_points_are_not_read_with_the_layout_of_another_version(void **state)
{
	struct v8_layout own, borrowed;

	(void)state;
	assert_null(fake_layout(&own, V8_VERSION(12, 9)));
	assert_null(fake_layout(&borrowed, V8_VERSION(12, 10)));
	assert_int_equal(borrowed.version, own.version);
	assert_int_equal(own.deopt_form, V8_DEOPT_12_9);
	assert_int_equal(borrowed.deopt_form, V8_DEOPT_UNKNOWN);
	assert_int_not_equal(own.deopt_entries_idx, 0);
	assert_int_equal(borrowed.deopt_entries_idx, 0);
	assert_int_equal(own.lacks[V8_TIER_MAGLEV], V8_NO_POSITIONS);
	assert_int_equal(borrowed.lacks[V8_TIER_MAGLEV], 0);
	assert_int_not_equal(own.scope_static_kind, 0);
	assert_int_equal(borrowed.scope_static_kind, 0);
	assert_null(fake_layout(&borrowed, V8_VERSION(14, 7)));
	assert_int_equal(borrowed.deopt_form, V8_DEOPT_UNKNOWN);
	assert_int_equal(borrowed.lacks[V8_TIER_MAGLEV], V8_NO_DEFERRED);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct v8_meta *)a)->name, ((const struct v8_meta *)b)->name);
}

/*
 * Fills the layout of V8 @version from the metadata of 13.6 plus the names that only older
 * versions have.
 */
static void old_layout(struct v8_layout *l, u32 version)
{
	struct v8_meta meta[] = {
#define X(name, value) { #name, value },
		FAKE_META_LIST(X)
#undef X
			{ "class_BytecodeArray__source_position_table__Object", 32 },
		{ "class_Code__source_position_table__ByteArray", 24 },
		{ "class_SharedFunctionInfo__function_data__Object", 8 },
	};
	size_t n = sizeof(meta) / sizeof(meta[0]);

	qsort(meta, n, sizeof(meta[0]), by_name);
	assert_null(v8_layout_init(l, &v8_versions, version, meta, n));
}

/*
 * V8 @version must get the layout of V8 @row. The fields that differ between the layouts are
 * checked.
 */
static void each_v8_version_uses_the_expected_layout(void **state)
{
	static const struct {
		u32 version, row;
		u16 scope_slots, offset_slot;
		bool calls_are_wrong;
	} rows[] = {
		{ V8_VERSION(7, 8), V8_VERSION(8, 3), 16, 32, true },
		{ V8_VERSION(8, 1), V8_VERSION(8, 3), 16, 32, true },
		{ V8_VERSION(8, 3), V8_VERSION(8, 3), 16, 32, true },
		{ V8_VERSION(8, 4), V8_VERSION(8, 4), 16, 32, true },
		{ V8_VERSION(8, 5), V8_VERSION(8, 4), 16, 32, true },
		{ V8_VERSION(8, 6), V8_VERSION(8, 6), 16, 32, true },
		{ V8_VERSION(8, 9), V8_VERSION(8, 6), 16, 32, true },
		{ V8_VERSION(9, 0), V8_VERSION(9, 0), 16, 40, false },
		{ V8_VERSION(9, 1), V8_VERSION(9, 1), 8, 40, false },
		{ V8_VERSION(9, 3), V8_VERSION(9, 3), 8, 40, false },
		{ V8_VERSION(9, 9), V8_VERSION(9, 6), 8, 40, false },
		{ V8_VERSION(10, 7), V8_VERSION(10, 7), 8, 40, false },
		{ V8_VERSION(15, 2), V8_VERSION(14, 6), 8, 40, false },
	};
	struct v8_layout l;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		old_layout(&l, rows[i].version);
		assert_int_equal(l.version, rows[i].row);
		assert_int_equal(l.scope_slots, rows[i].scope_slots);
		assert_int_equal(l.bytecode_offset_slot, rows[i].offset_slot);
		assert_int_equal(l.lacks[V8_TIER_TURBOFAN] == V8_NO_CALLS, rows[i].calls_are_wrong);
		assert_int_equal(l.deopt_entries_idx != 0, rows[i].version == rows[i].row);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			code_without_positions_has_a_line_if_the_function_has_only_one_line),
		cmocka_unit_test(call_whose_position_is_wrong_has_the_line_from_the_safepoint),
		cmocka_unit_test(call_without_a_safepoint_has_a_line_only_if_one_call_matches),
		cmocka_unit_test(
			number_of_reads_is_limited_for_a_caller_with_many_candidate_points),
		cmocka_unit_test(number_of_reads_of_long_position_tables_is_limited),
		cmocka_unit_test(caller_with_too_many_candidate_points_has_no_line),
		cmocka_unit_test(code_after_the_last_deoptimization_point_is_in_the_outer_function),
		cmocka_unit_test(call_in_maglev_code_has_the_lines_from_the_safepoint),
		cmocka_unit_test(call_in_deferred_code_has_the_line_from_the_safepoint),
		cmocka_unit_test(call_in_deoptimized_code_has_the_line_from_the_safepoint),
		cmocka_unit_test(deferred_code_has_the_line_of_the_instruction_that_jumps_to_it),
		cmocka_unit_test(
			call_of_an_inlined_function_has_the_line_from_deoptimization_points),
		cmocka_unit_test(maglev_code_without_deoptimization_points_has_no_line),
		cmocka_unit_test(discarded_maglev_code_has_no_line),
		cmocka_unit_test(
			deoptimization_points_are_not_read_with_the_layout_of_another_version),
		cmocka_unit_test(each_v8_version_uses_the_expected_layout),
	};

	return CHECK_RUN(tests);
}
