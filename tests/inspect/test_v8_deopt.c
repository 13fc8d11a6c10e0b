/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lines by deoptimization points, in the heap made by hand. The frames of Maglev's code in it
 * are among those that test_v8_names.c names, with reads that fail and lie.
 */

#include <string.h>

#include "../check.h"
#include "fake_world.h"

static struct fake_v8 v;
static struct fake_world w;
static struct uw_sample sample;
static struct v8_name names[V8_MAX_NAMES];

static int name_frame(struct v8_heap *h, const struct uw_frame *f)
{
	sample.n_frames = 1;
	sample.frames[0] = *f;
	return v8_heap_name(h, &sample, 0, names);
}

/* A function that is all on line 2. */
static void code_without_positions_has_the_line_of_a_function_that_has_one(void **state)
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

/* Line 2 by V8's positions, 4 by the bytecode at which the check would go on. */
static void a_call_with_a_wrong_position_has_the_line_of_its_point(void **state)
{
	struct uw_frame f;
	struct v8_heap *h;

	(void)state;
	fake_world(&v, &w);
	f = fake_js(fake_wrong_call(&v, &w) + 20, w.outer, 0, 0, 0);
	for (u16 is_wrong = 0; is_wrong < 2; is_wrong++) {
		v.build.layout.calls_have_wrong_positions = is_wrong;
		h = fake_heap(&v);
		assert_int_equal(name_frame(h, &f), 2);
		assert_string_equal(names[0].name, "inner");
		assert_int_equal(names[0].line, 2);
		assert_string_equal(names[1].name, "outer");
		assert_int_equal(names[1].line, is_wrong ? 4 : 2);
		v8_heap_free(&h);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_without_positions_has_the_line_of_a_function_that_has_one),
		cmocka_unit_test(a_call_with_a_wrong_position_has_the_line_of_its_point),
	};

	return CHECK_RUN(tests);
}
