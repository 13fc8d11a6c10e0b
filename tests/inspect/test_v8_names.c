/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names of frames in the fake heap: one script, in which outer() calls inner(), in every tier. With
 * failing or corrupt reads, a name or line may be missing, but it must not be wrong.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../check.h"
#include "name_frame.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define EXPORT_DATA 999 /* an instance type that nothing else uses */

static struct fake_scene scenes[FAKE_MAX_SCENES];
static size_t n_scenes;

static void build_world(void)
{
	memset(&sample, 0, sizeof(sample));
	fake_world(&v, &w);
}

static void set_scenes(void)
{
	build_world();
	n_scenes = fake_scenes(&w, scenes);
}

/* ---- one frame ---- */

static void every_kind_of_frame_has_the_expected_name_and_line(void **state)
{
	struct v8_heap *h;

	(void)state;
	set_scenes();
	h = fake_heap(&v);
	/* Symbolizes each frame twice, the second time from the caches. */
	for (size_t i = 0; i < 2 * n_scenes; i++) {
		const struct fake_expected *e = &scenes[i % n_scenes].expected;

		print_message("%s\n", e->what);
		assert_int_equal(name_scene(h, &scenes[i % n_scenes]), e->n);
		for (int j = 0; j < e->n; j++) {
			assert_string_equal(names[j].name, e->names[j].name);
			assert_int_equal(names[j].line, e->names[j].line);
			assert_int_equal(names[j].column, e->names[j].column);
			assert_int_equal(names[j].tier, e->names[j].tier);
			assert_int_equal((int)names[j].kind, e->names[j].kind);
			assert_int_equal(names[j].inlined,
					 j < e->n - 1 && e->names[j].kind == V8_NAME_JS);
			if (e->names[j].line)
				assert_string_equal(names[j].file, "/srv/app.js");
		}
	}
	v8_heap_free(&h);
}

/* Is the result a part of the right answer? Names and lines may be missing, but not wrong. */
static bool is_harmless(const struct fake_expected *e, int n)
{
	for (int i = 0; i < n; i++) {
		bool known = !names[i].name;

		if (!names[i].name && !names[i].reason)
			return false;
		for (int j = 0; j < e->n; j++)
			if (names[i].name && !strcmp(names[i].name, e->names[j].name) &&
			    (!names[i].line || names[i].line == e->names[j].line))
				known = true;
		if (!known) {
			print_error("%s: %s:%u (%s)\n", e->what, names[i].name, names[i].line,
				    names[i].reason ? names[i].reason : "");
			return false;
		}
	}
	return n >= 1;
}

static bool is_builtins_name(const char *name)
{
	return !strcmp(name, "StringAdd") || !strncmp(name, "Baseline", 8);
}

static void only_names_of_builtins_are_missing_in_a_stripped_file(void **state)
{
	struct v8_builtin all = { .len = 0x10000, .kind = V8_BUILTIN_UNNAMED };
	struct v8_heap *h;

	(void)state;
	set_scenes();
	v.build.builtins = &all;
	v.build.n_builtins = 1;
	h = fake_heap(&v);
	for (size_t i = 0; i < n_scenes; i++) {
		const struct fake_expected *e = &scenes[i].expected;
		int n = name_scene(h, &scenes[i]);

		print_message("%s\n", e->what);
		if (scenes[i].needs_symbols) {
			assert_true(is_harmless(e, n));
			continue;
		}
		assert_int_equal(n, e->n);
		for (int j = 0; j < n; j++) {
			if (is_builtins_name(e->names[j].name)) {
				assert_true(e->names[j].kind == V8_NAME_STUB || names[j].reason);
				continue;
			}
			assert_string_equal(names[j].name, e->names[j].name);
			assert_int_equal(names[j].line, e->names[j].line);
			assert_int_equal(names[j].tier, e->names[j].tier);
		}
	}
	v8_heap_free(&h);
}

/* In a builtin without a known name, the slots of the interrupted frame may be out of date. */
static void interrupted_interpreter_frame_has_no_line_in_a_stripped_file(void **state)
{
	struct v8_builtin all = { .len = 0x10000, .kind = V8_BUILTIN_UNNAMED };
	struct v8_heap *h;

	(void)state;
	set_scenes();
	v.build.builtins = &all;
	v.build.n_builtins = 1;
	h = fake_heap(&v);
	v.build.arch = &v8_arm64; /* its handlers are not analyzed */
	memset(sample.sp_words, 0, sizeof(sample.sp_words));
	memset(sample.interp, 0, sizeof(sample.interp));
	scenes[0].frame.flags = 0;
	assert_int_equal(name_frame(h, &scenes[0].frame), 2);
	assert_string_equal(names[1].name, "outer");
	assert_int_equal(names[1].line, 0);
	assert_non_null(names[1].reason);
	v8_heap_free(&h);
}

static void function_of_a_webassembly_export_is_named_as_a_stub(void **state)
{
	struct v8_heap *h;
	u64 data;

	(void)state;
	set_scenes();
	data = fake_object(&v, EXPORT_DATA, 64);
	v.build.layout.type_wasm_export = EXPORT_DATA;
	for (int is_export = 0; is_export < 2; is_export++) {
		if (is_export)
			fake_put(&v, w.outer - 1 + v.build.layout.sfi_data, data);
		h = fake_heap(&v);
		assert_int_equal(name_frame(h, &scenes[0].frame), 1);
		assert_string_equal(names[0].name, is_export ? "js-to-wasm" : "outer");
		assert_int_equal(names[0].kind, is_export ? V8_NAME_STUB : V8_NAME_JS);
		assert_null(names[0].reason);
		v8_heap_free(&h);
	}
}

static void frame_has_the_right_name_or_none_if_a_read_fails(void **state)
{
	(void)state;
	set_scenes();
	for (size_t i = 0; i < n_scenes; i++) {
		for (int n = 1; n < 80; n++) {
			struct v8_heap *h = fake_heap(&v);

			for (int again = 0; again < 3; again++) {
				v.fault_every = n;
				v.reads = 0;
				assert_true(is_harmless(&scenes[i].expected,
							name_scene(h, &scenes[i])));
			}
			/* The failure must not have been cached. */
			v.fault_every = 0;
			sample.time_ns = ~0ull;
			assert_int_equal(name_scene(h, &scenes[i]), scenes[i].expected.n);
			assert_string_equal(names[0].name, scenes[i].expected.names[0].name);
			assert_int_equal(names[0].line, scenes[i].expected.names[0].line);
			sample.time_ns = 0;
			v8_heap_free(&h);
		}
	}
}

/* Is each name missing, anonymous or that of a builtin, and does no frame have a line? */
static bool says_little(int n)
{
	for (int i = 0; i < n; i++)
		if (names[i].line || (names[i].name && !is_builtins_name(names[i].name) &&
				      strcmp(names[i].name, "(anonymous)") != 0))
			return false;
	return true;
}

/*
 * Symbolizes the frames of all scenes with a changed layout; returns the number
 * of right names.
 */
static u32 name_with(struct v8_layout layout, bool is_borrowed, bool *is_misread)
{
	struct v8_heap *h;
	u32 right = 0;

	set_scenes();
	v.build.layout = layout;
	v.build.is_borrowed = is_borrowed;
	h = fake_heap(&v);
	for (size_t i = 0; i < 2 * n_scenes; i++) {
		const struct fake_expected *e = &scenes[i % n_scenes].expected;
		int n = name_scene(h, &scenes[i % n_scenes]);

		assert_true(says_little(n) || is_harmless(e, n));
		right += names[0].name && !strcmp(names[0].name, e->names[0].name);
	}
	*is_misread = v8_heap_is_misread(h);
	v8_heap_free(&h);
	return right;
}

static void frame_has_no_wrong_name_if_a_field_of_the_layout_is_wrong(void **state)
{
	static const int steps[] = { -16, -8, -4, -1, 1, 4, 8, 16 };
	struct v8_layout good;
	u32 n_misread = 0;
	bool is_misread;

	(void)state;
	build_world();
	good = v.build.layout;
	for (int is_borrowed = 0; is_borrowed < 2; is_borrowed++) {
		assert_in_range(name_with(good, is_borrowed, &is_misread), n_scenes + 1,
				2 * n_scenes);
		assert_false(is_misread);
		for (size_t i = 0; i < offsetof(struct v8_layout, version) / sizeof(u16); i++)
			for (size_t k = 0; k < N(steps); k++) {
				struct v8_layout bad = good;

				/*
				 * Skips the fields of strings: any bytes are valid text, and the
				 * metadata of every build contain these fields.
				 */
				if (i >= offsetof(struct v8_layout, string_length) / sizeof(u16) &&
				    i <= offsetof(struct v8_layout, external_resource) /
						    sizeof(u16))
					continue;

				((u16 *)&bad)[i] = (u16)(((u16 *)&bad)[i] + steps[k]);
				print_message("field %zu %+d\n", i, steps[k]);
				name_with(bad, is_borrowed, &is_misread);
				n_misread += is_misread;
			}
	}
	assert_true(n_misread > 100);
}

/* Random bytes and stray pointers in any one read cause no crash and no endless loop. */
static void naming_neither_crashes_nor_loops_if_a_read_is_corrupt(void **state)
{
	(void)state;
	set_scenes();
	for (size_t i = 0; i < n_scenes; i++)
		for (int n = 1; n < 60; n++)
			for (u32 seed = 1; seed < 30; seed++) {
				struct v8_heap *h = fake_heap(&v);

				v.corrupt_at = n;
				v.lie_seed = seed * 2654435761u;
				v.reads = 0;
				assert_in_range(name_scene(h, &scenes[i]), 1, V8_MAX_NAMES);
				assert_true(v.reads < 10000);
				v8_heap_free(&h);
			}
	v.corrupt_at = 0;
}

/* ---- validation ---- */

static void new_function_at_the_address_of_an_old_one_has_the_new_name(void **state)
{
	struct uw_frame f;
	struct v8_heap *h;

	(void)state;
	build_world();
	h = fake_heap(&v);
	f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, fake_offset_slot(1), w.bytecode,
		    UW_FRAME_RA);
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "outer");
	/*
	 * The collector moves inner() to the address of outer(). In an older sample, the address is
	 * still that of outer().
	 */
	memcpy(v.heap + (w.outer - 1 - FAKE_HEAP_ADDR), v.heap + (w.inner - 1 - FAKE_HEAP_ADDR),
	       72);
	sample.time_ns = ~0ull;
	f.aux = (u32)w.inner_bytecode;
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "inner");
	assert_int_equal(names[0].line, 2);
	v8_heap_free(&h);
}

static void frame_has_no_line_if_the_code_is_that_of_another_function(void **state)
{
	static const struct {
		const char *what;
		bool baseline;
	} cases[] = { { "baseline", true }, { "optimized", false } };

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct v8_heap *h;

		build_world();
		h = fake_heap(&v);
		assert_int_equal(
			name_frame(h, &(struct uw_frame){ .kind = UW_V8_JS,
							  .pc = (cases[i].baseline
									 ? w.baseline_start
									 : w.turbofan_start) +
								12,
							  .a = w.inner }),
			1);
		assert_string_equal(names[0].name, "inner");
		assert_int_equal(names[0].line, 0);
		assert_non_null(names[0].reason);
		v8_heap_free(&h);
	}
}

/*
 * V8 9.0 has another table format. If this table is read in the later format, it gives wrong lines.
 */
static void frame_has_no_line_if_the_baseline_table_format_is_unknown(void **state)
{
	(void)state;
	for (u16 is_older = 0; is_older < 2; is_older++) {
		struct v8_heap *h;

		build_world();
		v.build.layout.lacks[V8_TIER_BASELINE] = is_older ? V8_NO_OFFSETS : 0;
		h = fake_heap(&v);
		assert_int_equal(name_frame(h, &(struct uw_frame){ .kind = UW_V8_JS,
								   .pc = w.baseline_start + 32,
								   .a = w.outer,
								   .flags = UW_FRAME_RA }),
				 1);
		assert_string_equal(names[0].name, "outer");
		assert_int_equal(names[0].line != 0, !is_older);
		assert_int_equal(names[0].reason != NULL, is_older);
		v8_heap_free(&h);
	}
}

static void frame_has_no_line_if_the_bytecode_is_that_of_another_function(void **state)
{
	struct uw_frame f;
	struct v8_heap *h;

	(void)state;
	build_world();
	h = fake_heap(&v);
	f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, fake_offset_slot(1), w.inner_bytecode,
		    UW_FRAME_RA);
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].line, 0);
	/* The slot does not contain an offset. */
	f = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, w.outer, 0x1234, w.bytecode, UW_FRAME_RA);
	assert_int_equal(name_frame(h, &f), 1);
	assert_string_equal(names[0].name, "outer");
	assert_int_equal(names[0].line, 0);
	v8_heap_free(&h);
}

static void frame_has_no_line_if_the_register_has_no_valid_bytecode_offset(void **state)
{
	/*
	 * Offsets of a bytecode that this handler does not execute, past the end of the array, and
	 * far past the end.
	 */
	static const u64 offsets[] = { 64 - 1 + 1, 64 - 1 + 6, 64 - 1 + 1000, 1ull << 40 };
	struct uw_frame f;
	struct v8_heap *h;

	(void)state;
	build_world();
	h = fake_heap(&v);
	v.build.arch = &v8_arm64; /* its handlers are not analyzed */
	f = fake_js(FAKE_BLOB_ADDR + FAKE_HANDLER + 8, w.outer, fake_offset_slot(0), w.bytecode, 0);
	for (size_t i = 0; i < N(offsets); i++) {
		sample.interp[0] = offsets[i];
		sample.interp[1] = 7;
		assert_int_equal(name_frame(h, &f), 1);
		assert_string_equal(names[0].name, "outer");
		assert_int_equal(names[0].line, 0);
		assert_non_null(names[0].reason);
	}
	v8_heap_free(&h);
}

/*
 * From V8 11 on the frame has a type marker; in older versions, some other word is in the function
 * slot.
 */
static void regular_expression_frame_without_a_type_marker_is_recognized(void **state)
{
	static const struct {
		u32 version, kind;
		bool is_named;
	} cases[] = {
		{ V8_VERSION(8, 4), 4, true },	 { V8_VERSION(8, 4), 3, false },
		{ V8_VERSION(10, 2), 3, true },	 { V8_VERSION(10, 2), 4, false },
		{ V8_VERSION(14, 6), 3, false },
	};
	static const struct uw_frame frames[] = {
		{ .kind = UW_V8_JS, .status = UW_F_FUNCTION_TAG },
		{ .kind = UW_V8_STUB, .a = 1 },
		{ .kind = UW_V8_CODE },
	};

	(void)state;
	for (size_t i = 0; i < N(cases) * N(frames); i++) {
		struct uw_frame f = frames[i % N(frames)];
		struct v8_layout l;
		struct v8_heap *h;

		build_world();
		v8_layout_sum(&l, cases[i / N(frames)].version, &v8_versions);
		v.build.layout.code_kind_regexp = l.code_kind_regexp;
		v.build.layout.code_kind_baseline = l.code_kind_baseline ? l.code_kind_baseline
									 : KIND_BASELINE;
		h = fake_heap(&v);
		fake_code(&v, cases[i / N(frames)].kind, 64, 0, 0, &f.pc);
		f.pc += 16;
		assert_int_equal(name_frame(h, &f), 1);
		if (cases[i / N(frames)].is_named)
			assert_string_equal(names[0].name, "RegExp");
		else
			assert_null(names[0].name);
		assert_int_equal(names[0].kind == V8_NAME_REGEXP, cases[i / N(frames)].is_named);
		assert_int_equal(names[0].reason != NULL, !cases[i / N(frames)].is_named);
		v8_heap_free(&h);
	}
}

static void frame_that_has_no_name_has_a_reason(void **state)
{
	struct v8_heap *h;

	(void)state;
	build_world();
	h = fake_heap(&v);
	assert_int_equal(name_frame(h, &(struct uw_frame){ .kind = UW_V8_JS,
							   .pc = w.baseline_start,
							   .status = UW_F_FUNCTION_FAULT }),
			 1);
	assert_null(names[0].name);
	assert_string_equal(names[0].reason, "function unreadable");
	assert_int_equal(name_frame(h, &(struct uw_frame){ .kind = UW_V8_JS,
							   .pc = w.baseline_start,
							   .a = w.script }),
			 1);
	assert_null(names[0].name);
	assert_non_null(names[0].reason);
	v8_heap_free(&h);
}

static void naming_a_frame_returns_an_error_if_the_process_has_ended(void **state)
{
	struct target_process gone = { .mem_fd = -1 };
	struct v8_heap *h;

	(void)state;
	build_world();
	assert_int_equal(v8_heap_new(&h, &v.build, &v.target), 0);
	h->gone = true;
	assert_int_equal(name_frame(h, &(struct uw_frame){ .kind = UW_V8_JS, .a = w.outer }),
			 -ESRCH);
	v8_heap_free(&h);
	target_process_deinit(&gone);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_frame_has_the_expected_name_and_line),
		cmocka_unit_test(only_names_of_builtins_are_missing_in_a_stripped_file),
		cmocka_unit_test(interrupted_interpreter_frame_has_no_line_in_a_stripped_file),
		cmocka_unit_test(function_of_a_webassembly_export_is_named_as_a_stub),
		cmocka_unit_test(frame_has_the_right_name_or_none_if_a_read_fails),
		cmocka_unit_test(frame_has_no_wrong_name_if_a_field_of_the_layout_is_wrong),
		cmocka_unit_test(naming_neither_crashes_nor_loops_if_a_read_is_corrupt),
		cmocka_unit_test(new_function_at_the_address_of_an_old_one_has_the_new_name),
		cmocka_unit_test(frame_has_no_line_if_the_code_is_that_of_another_function),
		cmocka_unit_test(frame_has_no_line_if_the_baseline_table_format_is_unknown),
		cmocka_unit_test(frame_has_no_line_if_the_bytecode_is_that_of_another_function),
		cmocka_unit_test(frame_has_no_line_if_the_register_has_no_valid_bytecode_offset),
		cmocka_unit_test(regular_expression_frame_without_a_type_marker_is_recognized),
		cmocka_unit_test(frame_that_has_no_name_has_a_reason),
		cmocka_unit_test(naming_a_frame_returns_an_error_if_the_process_has_ended),
	};

	return CHECK_RUN(tests);
}
