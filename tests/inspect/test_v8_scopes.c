/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests of ScopeInfo and source text in the fake heap: names of functions, whether a name is
 * accepted, and starts of lines.
 */

#include <string.h>

#include "../../inspect/v8/v8_scope.h"
#include "../../inspect/v8/v8_script.h"
#include "../../inspect/v8/v8_string.h"
#include "../check.h"
#include "name_frame.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void build_world(void)
{
	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
}

static void function_name_in_a_scope_info_is_found_after_any_number_of_variables(void **state)
{
	static const int counts[] = { 0, 1, 8, 74, 75, 90, 1000 };
	static const u32 kinds[] = { FUNCTION_SCOPE, MODULE_SCOPE };
	u64 name, inferred;

	(void)state;
	for (size_t i = 0; i < N(counts); i++) {
		for (size_t k = 0; k < N(kinds); k++) {
			struct v8_heap *h;
			u64 scope;
			char text[32];

			fake_init(&v);
			h = fake_heap(&v);
			scope = fake_scope(&v, kinds[k], counts[i], fake_string(&v, "name"),
					   fake_string(&v, "inferred"));
			assert_int_equal(v8_scope_names(h, scope, &name, &inferred), 0);
			assert_int_equal(v8_string_utf8(h, name, text, sizeof(text)), 0);
			assert_string_equal(text, "name");
			assert_int_equal(v8_string_utf8(h, inferred, text, sizeof(text)), 0);
			assert_string_equal(text, "inferred");
			v8_heap_free(&h);
		}
	}
}

static void function_with_an_empty_name_has_the_inferred_name_or_is_anonymous(void **state)
{
	struct v8_heap *h;
	struct uw_frame f;
	u64 empty, inferred;

	(void)state;
	build_world();
	h = fake_heap(&v);
	empty = fake_string(&v, "");
	inferred = fake_sfi(
		&v, fake_scope(&v, FUNCTION_SCOPE, 2, empty, fake_string(&v, "Module._load")),
		w.script, w.bytecode);
	f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, inferred, fake_offset_slot(1), w.bytecode,
		    UW_FRAME_RA);
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "Module._load");
	f.a = fake_sfi(&v, fake_scope(&v, FUNCTION_SCOPE, 2, empty, empty), w.script, w.bytecode);
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "(anonymous)");
	assert_int_equal(names[0].line, 2);
	v8_heap_free(&h);
}

/*
 * Makes a ScopeInfo of a V8 before 12.9, without variables. @inferred 0: it is the scope of a
 * script or of eval code.
 */
static u64 old_scope(u64 inferred, u64 start, u64 end)
{
	const u64 slots[] = { FUNCTION_SCOPE, 0, 0, fake_string(&v, "f"), fake_smi(-1), inferred };
	u64 scope = fake_scope(&v, FUNCTION_SCOPE, 8, 0, 0), addr = scope - 1 + 8;
	u32 n = inferred ? 6 : 5;

	v.build.layout.scope_first_var_idx = 3;
	for (u32 i = 0; i < n; i++)
		fake_put(&v, addr + 8ull * i, slots[i]);
	fake_put(&v, addr + 8ull * n, start);
	fake_put(&v, addr + 8ull * (n + 1), end);
	return scope;
}

static void start_offset_of_a_function_is_found_in_both_layouts_of_scope_info(void **state)
{
	static const struct {
		s32 start, end, found;
	} cases[] = { { 0, 0, 0 }, { 7, 9, 7 }, { 9, 7, -1 }, { -2, 7, -1 } };
	s32 start;

	(void)state;
	for (size_t i = 0; i < 3 * N(cases); i++) {
		u64 from = fake_smi(cases[i / 3].start), to = fake_smi(cases[i / 3].end), scope;
		struct v8_heap *h;

		fake_init(&v);
		scope = i % 3 ? old_scope(i % 3 == 1 ? fake_string(&v, "") : 0, from, to)
			      : fake_scope(&v, FUNCTION_SCOPE, 4, fake_string(&v, "f"), 0);
		if (i % 3 == 0) {
			fake_put(&v, scope - 1 + 32, from);
			fake_put(&v, scope - 1 + 40, to);
		}
		h = fake_heap(&v);
		assert_int_equal(v8_scope_start(h, scope, &start), 0);
		assert_int_equal(start, cases[i / 3].found);
		v8_heap_free(&h);
	}
}

static void function_has_no_start_if_the_position_words_are_invalid(void **state)
{
	struct v8_heap *h;
	u64 scope;
	s32 start;

	(void)state;
	fake_init(&v);
	scope = fake_scope(&v, FUNCTION_SCOPE, 4, fake_string(&v, "f"), 0);
	fake_put(&v, scope - 1 + 40, fake_string(&v, "end"));
	h = fake_heap(&v);
	assert_int_equal(v8_scope_start(h, scope, &start), 0);
	assert_int_equal(start, -1);
	v8_heap_free(&h);
}

static void name_of_a_running_function_has_the_start_line_and_column(void **state)
{
	struct v8_heap *h;
	struct uw_frame f;
	u64 scope;

	(void)state;
	build_world();
	h = fake_heap(&v);
	scope = fake_scope(&v, FUNCTION_SCOPE, 0, fake_string(&v, "f"), fake_string(&v, ""));
	fake_put(&v, scope - 1 + 32, fake_smi(2));
	fake_put(&v, scope - 1 + 40, fake_smi(9));
	f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8,
		    fake_sfi(&v, scope,
			     fake_script(&v, fake_smi(0), fake_string(&v, "a\n.f(){\n}.")),
			     w.bytecode),
		    fake_offset_slot(1), w.bytecode, UW_FRAME_RA);
	assert_int_equal(name_frame(h, &f), 1);
	assert_int_equal(names[0].start_line, 2);
	assert_int_equal(names[0].start_column, 1);
	v8_heap_free(&h);
}

static void every_line_terminator_of_ecmascript_starts_a_line(void **state)
{
	/*
	 * offsets of the lines: 0 a, LF; 2 b, CR LF; 5 c, CR; 7 d, LS; 9 e, PS; 11 f, CR CR; 14 g
	 */
	static const u16 text[] = { 'a',    '\n', 'b',	  '\r', '\n', 'c',  '\r', 'd',
				    0x2028, 'e',  0x2029, 'f',	'\r', '\r', 'g' };
	static const struct {
		s32 pos;
		u32 line, column;
	} cases[] = { { 0, 1, 1 },  { 1, 1, 2 },  { 2, 2, 1 },	{ 3, 2, 2 },
		      { 4, 2, 3 },  { 5, 3, 1 },  { 7, 4, 1 },	{ 9, 5, 1 },
		      { 11, 6, 1 }, { 13, 7, 1 }, { 14, 8, 1 }, { 15, 8, 2 } };
	struct v8_script *s;
	const char *reason;
	struct v8_heap *h;
	u32 line, column;

	(void)state;
	fake_init(&v);
	h = fake_heap(&v);
	s = v8_script_get(h, fake_script(&v, fake_smi(0), fake_string16(&v, text, N(text))));
	assert_non_null(s);
	assert_null(s->file);
	for (size_t i = 0; i < N(cases); i++) {
		assert_true(v8_script_position(h, s, cases[i].pos, &line, &column, &reason));
		assert_int_equal(line, cases[i].line);
		assert_int_equal(column, cases[i].column);
	}
	assert_false(v8_script_position(h, s, 16, &line, &column, &reason));
	assert_false(v8_script_position(h, s, -1, &line, &column, &reason));
	v8_heap_free(&h);
}

static void position_before_the_start_of_the_file_has_no_line_or_column(void **state)
{
	static const struct {
		s32 line_offset, column_offset, pos;
		u32 line, column;
	} cases[] = { { -1, 0, 1, 0, 0 },
		      { -1, 0, 2, 1, 1 },
		      { -3, 9, 3, 0, 0 },
		      { 0, -1, 0, 1, 0 },
		      { 0, -1, 1, 1, 1 },
		      { 0, -9, 3, 2, 2 },
		      { INT32_MIN, 0, 3, 0, 0 },
		      { 0, INT32_MIN, 1, 1, 0 },
		      { INT32_MAX, INT32_MAX, 0, 1u << 31, 1u << 31 } };

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct v8_script *s;
		const char *reason;
		struct v8_heap *h;
		u32 line = 0, column = 0;
		u64 script;

		fake_init(&v);
		h = fake_heap(&v);
		script = fake_script(&v, fake_smi(0), fake_string(&v, "a\nbc"));
		fake_put(&v, script - 1 + 24, fake_smi(cases[i].line_offset));
		fake_put(&v, script - 1 + 32, fake_smi(cases[i].column_offset));
		s = v8_script_get(h, script);
		assert_non_null(s);
		assert_int_equal(v8_script_position(h, s, cases[i].pos, &line, &column, &reason),
				 cases[i].line != 0);
		assert_int_equal(line, cases[i].line);
		assert_int_equal(column, cases[i].column);
		v8_heap_free(&h);
	}
}

static void crlf_that_is_split_over_two_string_parts_counts_as_one_line_end(void **state)
{
	struct v8_script *s;
	const char *reason;
	struct v8_heap *h;
	u32 line, column;
	u64 text;

	(void)state;
	fake_init(&v);
	h = fake_heap(&v);
	text = fake_cons(&v, fake_string(&v, "one\r"), fake_string(&v, "\ntwo"), 8);
	s = v8_script_get(h, fake_script(&v, fake_smi(0), text));
	assert_true(v8_script_position(h, s, 5, &line, &column, &reason));
	assert_int_equal(line, 2);
	assert_int_equal(column, 1);
	v8_heap_free(&h);
}

static void source_that_is_being_moved_is_read_at_its_new_address(void **state)
{
	u64 texts[2], copy;

	(void)state;
	fake_init(&v);
	texts[0] = fake_string(&v, "old");
	copy = fake_string(&v, "a\nb");
	texts[1] = fake_cons(&v, texts[0], fake_string(&v, "c"), 4);
	fake_put(&v, texts[0] - 1, copy - 1); /* a forwarding address replaces the map */
	for (size_t i = 0; i < N(texts); i++) {
		struct v8_heap *h = fake_heap(&v);
		struct v8_script *s = v8_script_get(h, fake_script(&v, fake_smi(0), texts[i]));
		const char *reason;
		u32 line, column;

		assert_non_null(s);
		assert_true(v8_script_position(h, s, 2, &line, &column, &reason));
		assert_int_equal(line, 2);
		assert_int_equal(column, 1);
		v8_heap_free(&h);
	}
}

static void class_initializer_has_the_name_that_v8_prints(void **state)
{
	static const char *const instance = "<instance_members_initializer>";
	static const char *const members = "<static_initializer>";
	const struct {
		u16 first_static; /* 0: before V8 11.8; 25: from 11.8 on; 26: 14.6 */
		u32 kind;
		const char *name;
	} rows[] = { { 0, 24, NULL },	   { 0, 25, NULL },	 { 25, 22, NULL },
		     { 25, 24, instance }, { 25, 25, members },	 { 25, 26, NULL },
		     { 26, 23, NULL },	   { 26, 24, instance }, { 26, 25, instance },
		     { 26, 26, members },  { 26, 27, members },	 { 26, 28, NULL } };

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct v8_heap *h;
		struct uw_frame f;
		u64 scope;

		build_world();
		v.build.layout.scope_static_kind = rows[i].first_static;
		h = fake_heap(&v);
		scope = fake_scope(&v, FUNCTION_SCOPE | rows[i].kind << 17, 0, fake_string(&v, ""),
				   fake_string(&v, "TheClass"));
		f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8,
			    fake_sfi(&v, scope, w.script, w.bytecode), fake_offset_slot(1),
			    w.bytecode, UW_FRAME_RA);
		assert_int_equal(name_frame(h, &f), 1);
		assert_string_equal(names[0].name, rows[i].name ? rows[i].name : "TheClass");
		v8_heap_free(&h);
	}
}

/* Inserts @n or more blanks before the source of @script, and changes nothing else. */
static void put_far_into_the_source(u64 script, u32 n)
{
	u64 field = script - 1 + v.build.layout.script_source, source, before;
	struct v8_heap *h = fake_heap(&v);
	static char blanks[(1u << 16) + 1];
	u32 len = sizeof(blanks) - 1, source_len;

	memset(blanks, ' ', len);
	before = fake_string(&v, blanks);
	for (; len < n; len *= 2)
		before = fake_cons(&v, before, before, 2 * len);
	assert_int_equal(v8_word(h, script, v.build.layout.script_source, &source), 0);
	assert_int_equal(v8_read(h, source - 1 + v.build.layout.string_length, &source_len, 4), 0);
	fake_put(&v, field, fake_cons(&v, before, source, len + source_len));
	v8_heap_free(&h);
}

static void function_has_a_name_even_if_it_starts_at_a_very_large_source_offset(void **state)
{
	static const u32 distances[] = { 4u << 20, 128u << 20 }; /* beyond the search limit */

	(void)state;
	for (size_t k = 0; k < N(distances); k++) {
		struct v8_heap *h;
		struct uw_frame f;

		build_world();
		put_far_into_the_source(w.script, distances[k]);
		h = fake_heap(&v);
		f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, fake_offset_slot(1),
			    w.bytecode, UW_FRAME_RA);
		assert_int_equal(name_frame(h, &f), 1);
		assert_string_equal(names[0].name, "outer");
		assert_false(v8_heap_is_misread(h));
		v8_heap_free(&h);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			function_name_in_a_scope_info_is_found_after_any_number_of_variables),
		cmocka_unit_test(function_with_an_empty_name_has_the_inferred_name_or_is_anonymous),
		cmocka_unit_test(start_offset_of_a_function_is_found_in_both_layouts_of_scope_info),
		cmocka_unit_test(function_has_no_start_if_the_position_words_are_invalid),
		cmocka_unit_test(name_of_a_running_function_has_the_start_line_and_column),
		cmocka_unit_test(every_line_terminator_of_ecmascript_starts_a_line),
		cmocka_unit_test(position_before_the_start_of_the_file_has_no_line_or_column),
		cmocka_unit_test(crlf_that_is_split_over_two_string_parts_counts_as_one_line_end),
		cmocka_unit_test(source_that_is_being_moved_is_read_at_its_new_address),
		cmocka_unit_test(class_initializer_has_the_name_that_v8_prints),
		cmocka_unit_test(
			function_has_a_name_even_if_it_starts_at_a_very_large_source_offset),
	};

	return CHECK_RUN(tests);
}
