/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the URL of a script's source map, and the source text before a function, in the fake heap.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/v8/v8_script.h"
#include "../check.h"
#include "fake_v8.h"

#define TEXT "a\nlet f=(x)=>x;\n//# sourceMappingURL=f.js.map\n"

static struct fake_v8 v;

/* Symbolizes a function that starts at offset @start of a script with text @source. */
static struct v8_name name_in(struct v8_heap *h, u64 source, s32 start)
{
	struct v8_name name = { .start = start };
	const char *reason;
	u32 line, column;

	name.script = v8_script_get(h, fake_script(&v, fake_smi(0), source));
	assert_non_null(name.script);
	assert_int_equal(v8_name_map_hash(&name), 0); /* not read yet */
	assert_true(v8_script_position(h, name.script, 0, &line, &column, &reason));
	return name;
}

static void url_of_the_source_map_is_read_from_the_script(void **state)
{
	static const u16 wide[] = {
		0x20ac, '/', '/', '#', ' ', 's', 'o', 'u', 'r', 'c', 'e', 'M',
		'a',	'p', 'p', 'i', 'n', 'g', 'U', 'R', 'L', '=', 'g', 0xe9
	};
	struct v8_heap *h;
	struct v8_name latin, two_byte, none;
	char *url;

	(void)state;
	fake_init(&v);
	h = fake_heap(&v);
	latin = name_in(h, fake_string(&v, TEXT), 0);
	two_byte = name_in(h, fake_string16(&v, wide, sizeof(wide) / sizeof(wide[0])), 0);
	none = name_in(h, fake_string(&v, "f();"), 0);
	assert_int_equal(v8_name_map_url(h, &latin, &url), 0);
	assert_string_equal(url, "f.js.map");
	free(url);
	assert_int_equal(v8_name_map_url(h, &two_byte, &url), 0);
	assert_string_equal(url, "g\x80"); /* URLs do not contain this character */
	free(url);
	assert_int_not_equal(v8_name_map_hash(&latin), 0);
	assert_int_not_equal(v8_name_map_hash(&latin), v8_name_map_hash(&two_byte));
	assert_int_equal(v8_name_map_hash(&none), 0);
	assert_int_equal(v8_name_map_url(h, &none, &url), -ENOENT);
	assert_int_equal(v8_name_map_url(h, &(struct v8_name){ 0 }, &url), -ENOENT);
	v8_heap_free(&h);
}

static void text_read_before_a_function_ends_exactly_at_the_start_of_the_function(void **state)
{
	static const struct {
		s32 start;
		u32 len;
		const char *text;
		int error;
	} cases[] = {
		{ 8, 64, "a\nlet f=", 0 }, { 8, 3, " f=", 0 },		{ 0, 64, "", 0 },
		{ -1, 64, NULL, -ENOENT }, { 9999, 64, NULL, -ENOENT },
	};
	struct v8_heap *h;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct v8_name name;
		char text[64];
		int n;

		fake_init(&v);
		h = fake_heap(&v);
		name = name_in(h, fake_string(&v, TEXT), cases[i].start);
		n = v8_name_text_before(h, &name, text, cases[i].len);
		assert_int_equal(n, cases[i].text ? (int)strlen(cases[i].text) : cases[i].error);
		if (n > 0)
			assert_memory_equal(text, cases[i].text, n);
		v8_heap_free(&h);
	}
}

static void no_source_text_is_read_from_a_script_that_was_freed(void **state)
{
	struct v8_heap *h;
	struct v8_name name;
	char *url, text[8];

	(void)state;
	fake_init(&v);
	h = fake_heap(&v);
	name = name_in(h, fake_string(&v, TEXT), 8);
	fake_put(&v, name.script->tagged - 1, 0);
	assert_int_equal(v8_name_map_url(h, &name, &url), -ESTALE);
	assert_int_equal(v8_name_text_before(h, &name, text, sizeof(text)), -ESTALE);
	v8_heap_free(&h);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(url_of_the_source_map_is_read_from_the_script),
	cmocka_unit_test(text_read_before_a_function_ends_exactly_at_the_start_of_the_function),
	cmocka_unit_test(no_source_text_is_read_from_a_script_that_was_freed),
};

int main(void)
{
	return CHECK_RUN(tests);
}
