/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * File names of the code that eval() compiled, in the fake heap. outer() or other eval code calls
 * eval().
 */

#include <string.h>

#include "../check.h"
#include "fake_world.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define EVAL_FROM_SHARED 72
#define EVAL_FROM_POSITION 80

static struct fake_v8 v;
static struct fake_world w;
static struct v8_name names[V8_MAX_NAMES];
static struct uw_sample sample;

/* Makes a function of a script without a name, compiled by eval(). */
static u64 make_eval(u64 asker, u64 position)
{
	u64 undefined = fake_object(&v, 131, 40);
	u64 script = fake_script(&v, undefined, fake_string(&v, "(function made() {\n})"));

	fake_put(&v, script - 1 + EVAL_FROM_SHARED, asker);
	fake_put(&v, script - 1 + EVAL_FROM_POSITION, position);
	return fake_sfi(&v, fake_scope(&v, FUNCTION_SCOPE, 0, fake_string(&v, "made"), undefined),
			script, w.bytecode);
}

static const char *file_of(struct v8_heap *h, u64 sfi)
{
	sample.n_frames = 1;
	sample.time_ns += 1000000;
	sample.frames[0] = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, sfi, fake_offset_slot(1),
				   w.bytecode, UW_FRAME_RA);
	assert_int_equal(v8_heap_name(h, &sample, 0, names), 1);
	assert_string_equal(names[0].name, "made");
	return names[0].file;
}

static void file_name_of_eval_code_states_the_function_and_position_of_the_eval_call(void **state)
{
	/* Source offsets if positive; if negative, bytecode offsets. */
	static const struct {
		s32 position;
		const char *file;
	} cases[] = {
		{ -1, "eval at outer (/srv/app.js:2:6), <anonymous>" },
		{ -4, "eval at outer (/srv/app.js:4:1), <anonymous>" },
		{ 1, "eval at outer (/srv/app.js:1:2), <anonymous>" },
		{ 0x7fffffff, "eval at outer (/srv/app.js), <anonymous>" },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct v8_heap *h;
		u64 made;

		fake_world(&v, &w);
		made = make_eval(w.outer, fake_smi(cases[i].position));
		h = fake_heap(&v);
		assert_string_equal(file_of(h, made), cases[i].file);
		v8_heap_free(&h);
	}
}

static void eval_origin_that_is_not_a_function_is_ignored(void **state)
{
	struct v8_heap *h;
	u64 no_function, no_position;

	(void)state;
	fake_world(&v, &w);
	no_function = make_eval(w.script, fake_smi(1));
	no_position = make_eval(w.outer, w.outer);
	h = fake_heap(&v);
	assert_null(file_of(h, no_function));
	assert_null(file_of(h, no_position));
	v8_heap_free(&h);
}

static void nested_eval_code_has_nested_origins(void **state)
{
	struct v8_heap *h;
	u64 made;

	(void)state;
	fake_world(&v, &w);
	made = make_eval(make_eval(w.outer, fake_smi(-1)), fake_smi(1));
	h = fake_heap(&v);
	assert_string_equal(file_of(h, made),
			    "eval at made (eval at outer (/srv/app.js:2:6)), <anonymous>");
	v8_heap_free(&h);
}

/*
 * Each function is made by an eval() in the previous one; in a cycle, the first function is made by
 * the last.
 */
static void reading_ends_if_the_chain_of_eval_origins_is_cyclic(void **state)
{
	(void)state;
	for (int is_circle = 0; is_circle < 2; is_circle++) {
		u64 first, last, script;
		struct v8_heap *h;

		fake_world(&v, &w);
		first = last = make_eval(w.outer, fake_smi(1));
		for (int i = 0; i < 20; i++)
			last = make_eval(last, fake_smi(1));
		memcpy(&script, v.heap + (first - 1 + 40 - FAKE_HEAP_ADDR), sizeof(script));
		if (is_circle)
			fake_put(&v, script - 1 + EVAL_FROM_SHARED, last);
		h = fake_heap(&v);
		assert_null(file_of(h, last));
		assert_int_equal(h->origin_depth, 0);
		v8_heap_free(&h);
	}
}

/*
 * The line may stay missing, if the function is found to contradict the layout.
 */
static bool is_outer(const char *file)
{
	return file && (!strcmp(file, "eval at outer (/srv/app.js:2:6), <anonymous>") ||
			!strcmp(file, "eval at outer (/srv/app.js), <anonymous>"));
}

static void eval_origin_is_read_again_later_if_the_first_read_failed(void **state)
{
	u32 n_missing = 0;
	u64 made;

	(void)state;
	for (int n = 2; n < 60; n++) {
		struct v8_heap *h;

		fake_world(&v, &w);
		made = make_eval(w.outer, fake_smi(-1));
		h = fake_heap(&v);
		v.fault_every = n;
		v.reads = 0;
		sample.n_frames = 1;
		sample.frames[0] = fake_js(FAKE_BLOB_ADDR + FAKE_ENTRY + 8, made,
					   fake_offset_slot(1), w.bytecode, UW_FRAME_RA);
		v8_heap_name(h, &sample, 0, names);
		assert_true(!names[0].file || is_outer(names[0].file));
		n_missing += names[0].name && !names[0].file;
		v.fault_every = 0;
		assert_true(is_outer(file_of(h, made)));
		v8_heap_free(&h);
	}
	assert_true(n_missing > 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			file_name_of_eval_code_states_the_function_and_position_of_the_eval_call),
		cmocka_unit_test(eval_origin_that_is_not_a_function_is_ignored),
		cmocka_unit_test(nested_eval_code_has_nested_origins),
		cmocka_unit_test(reading_ends_if_the_chain_of_eval_origins_is_cyclic),
		cmocka_unit_test(eval_origin_is_read_again_later_if_the_first_read_failed),
	};

	return CHECK_RUN(tests);
}
