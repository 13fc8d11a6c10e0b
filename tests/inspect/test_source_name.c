/* SPDX-License-Identifier: BSD-2-Clause */

/* Names of functions that are found in the source text. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/sourcemap/source_name.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* '|' marks the position. */
static const struct {
	const char *line, *name;
} cases[] = {
	{ "|function f(x) {", "f" },
	{ "function |f(x) {", "f" },
	{ "export async |function* f<T>(x: T) {", "f" },
	{ "export |async function f (x) {", "f" },
	{ "\t|visit(x) {", "visit" },
	{ "\tasync |#visit(x) {", "#visit" },
	{ "const f = |(x) => {", "f" },
	{ "  export const f=|x=>x", "f" },
	{ "let f = async |(x) => {", "f" },
	{ "const f: Visitor = |(row) => {", "f" },
	{ "const f: (a: A, b: B<C>) => D = |(a) => {", "f" },
	{ "const f: { a: 1 } = |function(x) {", "f" },
	{ "const \xc3\xa4\xc3\xa4\xf0\x9f\x98\x80 = |() => 1", "\xc3\xa4\xc3\xa4\xf0\x9f\x98\x80" },
	{ "|function(x) {", NULL },
	{ "|(x) => {", NULL },
	{ "const a = b(|(x) => {", NULL },
	{ "const a = 1, b = |(x) => {", NULL },
	{ "const a = b ? |(x) => 1 : 2", NULL },
	{ "|return (x)", NULL },
	{ "|if (x)", NULL },
	{ "|f = 1", NULL },
	{ "const = |(x)", NULL },
	{ "|", NULL },
	{ "const f: (|", NULL },
};

static u32 units(const char *text, size_t len)
{
	u32 n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((u8)text[i] & 0xc0) != 0x80 ? 1 + ((u8)text[i] >= 0xf0) : 0;
	return n;
}

static void function_name_is_found_at_the_start_of_the_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		const char *bar = strchr(cases[i].line, '|'), *name;
		u32 column = units(cases[i].line, (size_t)(bar - cases[i].line)) + 1;
		_cleanup_free_ char *text = NULL;
		size_t len;
		int r;

		assert_true(asprintf(&text, "// first\n%.*s%s\n}\n", (int)(bar - cases[i].line),
				     cases[i].line, bar + 1) > 0);
		r = source_name(text, strlen(text), 2, column, &name, &len);
		assert_int_equal(r, cases[i].name ? 0 : -ENOENT);
		if (!r) {
			assert_int_equal(len, strlen(cases[i].name));
			assert_memory_equal(name, cases[i].name, len);
		}
	}
}

static void function_at_a_position_outside_the_source_text_has_no_name(void **state)
{
	static const char text[] = "function f() {}";
	static const struct {
		u32 line, column;
	} places[] = { { 2, 1 }, { 1, 99 }, { ~0u, ~0u }, { 0, 0 } };
	const char *name;
	size_t len;

	(void)state;
	for (size_t i = 0; i < N(places); i++)
		assert_int_equal(source_name(text, sizeof(text) - 1, places[i].line,
					     places[i].column, &name, &len),
				 -ENOENT);
	assert_int_equal(source_name("", 0, 1, 1, &name, &len), -ENOENT);
}

static void name_search_in_a_truncated_text_stays_within_bounds(void **state)
{
	static const char text[] = "const f: (a: A) => B = async (x) => {";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		_cleanup_free_ char *cut = malloc(len + !len);
		const char *name;
		size_t name_len;

		memcpy(cut, text, len);
		for (u32 column = 1; column < sizeof(text) + 2; column++)
			if (!source_name(cut, len, 1, column, &name, &name_len))
				assert_true(name >= cut && name + name_len <= cut + len);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(function_name_is_found_at_the_start_of_the_function),
	cmocka_unit_test(function_at_a_position_outside_the_source_text_has_no_name),
	cmocka_unit_test(name_search_in_a_truncated_text_stays_within_bounds),
};

int main(void)
{
	return CHECK_RUN(tests);
}
