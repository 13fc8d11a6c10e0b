/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "../../inspect/v8/v8_string.h"
#include "../check.h"
#include "fake_v8.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static struct fake_v8 v;
static struct v8_heap *h;

static void fresh(void)
{
	if (h)
		v8_heap_free(&h);
	fake_init(&v);
	assert_null(v.build.why);
	h = fake_heap(&v);
	assert_non_null(h);
}

static void check_text(u64 string, const char *expected)
{
	char text[256];

	assert_int_equal(v8_string_utf8(h, string, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

static void latin1_string_is_converted_to_utf8(void **state)
{
	(void)state;
	fresh();
	check_text(fake_string(&v, ""), "");
	check_text(fake_string(&v, "plain"), "plain");
	check_text(fake_string(&v, "unicod\xe9 \xff"), "unicod\xc3\xa9 \xc3\xbf");
}

static void utf16_is_converted_to_utf8_with_u_fffd_for_lone_surrogates_and_nul(void **state)
{
	static const struct {
		u16 chars[4];
		u32 n;
		const char *expected;
	} cases[] = {
		{ { 0x95a2, 0x6570 }, 2, "\xe9\x96\xa2\xe6\x95\xb0" },
		{ { 0xd83d, 0xde00 }, 2, "\xf0\x9f\x98\x80" },
		{ { 0xd83d }, 1, "\xef\xbf\xbd" },
		{ { 0xde00, 'a' },
		  2,
		  "\xef\xbf\xbd"
		  "a" },
		{ { 0xd83d, 0xd83d, 0xde00 }, 3, "\xef\xbf\xbd\xf0\x9f\x98\x80" },
		{ { 'a', 0, 'b' },
		  3,
		  "a\xef\xbf\xbd"
		  "b" },
		{ { 0xd83d, 'a', 0x7ff },
		  3,
		  "\xef\xbf\xbd"
		  "a\xdf\xbf" },
	};

	(void)state;
	fresh();
	for (size_t i = 0; i < N(cases); i++)
		check_text(fake_string16(&v, cases[i].chars, cases[i].n), cases[i].expected);
}

static void strings_of_every_representation_are_read(void **state)
{
	static const u16 wide[] = { 'w', 0x100, 0xd83d };
	static const u16 rest[] = { 0xde00, '!' };
	u64 flat, cons, chars;

	(void)state;
	fresh();
	flat = fake_string(&v, "0123456789");
	cons = fake_cons(&v, fake_string(&v, "ab"), fake_string(&v, "cde"), 5);
	check_text(cons, "abcde");
	check_text(fake_cons(&v, cons, flat, 15), "abcde0123456789");
	check_text(fake_cons(&v, flat, fake_string(&v, ""), 10), "0123456789");
	check_text(fake_sliced(&v, flat, 3, 4), "3456");
	check_text(fake_thin(&v, flat, 10), "0123456789");
	check_text(fake_sliced(&v, fake_cons(&v, flat, fake_string(&v, ""), 10), 8, 2), "89");
	check_text(fake_sliced(&v, fake_cons(&v, cons, flat, 15), 7, 3), "234");
	check_text(fake_sliced(&v, fake_cons(&v, cons, flat, 15), 4, 3), "e01");
	/* The halves of a surrogate pair are in two parts of a cons string. */
	check_text(fake_cons(&v, fake_string16(&v, wide, 3), fake_string16(&v, rest, 2), 5),
		   "w\xc4\x80\xf0\x9f\x98\x80!");
	chars = fake_alloc(&v, 16);
	fake_bytes(&v, chars, "outside", 7);
	check_text(fake_external(&v, chars, 7, false), "outside");
	fake_bytes(&v, chars, wide, 4);
	check_text(fake_external(&v, chars, 2, true), "w\xc4\x80");
}

/*
 * Makes a moved string: the collector has overwritten the map of the old object by the address of
 * the copy.
 */
static u64 moved(const char *text)
{
	u64 old = fake_string(&v, "old"), copy = fake_string(&v, text);

	fake_put(&v, old - 1, copy - 1);
	return old;
}

static void string_that_the_collector_moved_is_read_at_its_new_address(void **state)
{
	(void)state;
	fresh();
	check_text(moved("new place"), "new place");
	check_text(fake_cons(&v, moved("left-"), fake_string(&v, "right"), 10), "left-right");
	check_text(fake_cons(&v, fake_string(&v, "left-"), moved("right"), 10), "left-right");
	check_text(fake_sliced(&v, moved("new place"), 4, 5), "place");
}

static void external_string_without_cached_data_is_refused(void **state)
{
	u64 chars, cached, s;
	char text[32];
	u32 len = 7;

	(void)state;
	fresh();
	chars = fake_alloc(&v, 16);
	fake_bytes(&v, chars, "outside", 7);
	cached = fake_external(&v, chars, len, false);
	check_text(cached, "outside");
	s = fake_object(&v, 42 | 16, 24);
	fake_bytes(&v, s - 1 + 12, &len, sizeof(len));
	fake_put(&v, fake_alloc(&v, 8), chars);
	assert_int_equal(v8_string_utf8(h, s, text, sizeof(text)), -EINVAL);
}

static void long_name_is_truncated_at_a_character_and_marked(void **state)
{
	static const u16 chars[] = { 0x95a2, 0x6570, 0x95a2, 0x6570 };
	char text[12];

	(void)state;
	fresh();
	/* Room for two characters of three bytes, the mark and the NUL. */
	assert_int_equal(v8_string_utf8(h, fake_string16(&v, chars, 4), text, sizeof(text)), 0);
	assert_string_equal(text, "\xe9\x96\xa2\xe6\x95\xb0\xe2\x80\xa6");
	assert_int_equal(v8_string_utf8(h, fake_string(&v, "01234567"), text, sizeof(text)), 0);
	assert_string_equal(text, "01234567");
	assert_int_equal(v8_string_utf8(h, fake_string(&v, "012345678"), text, sizeof(text)), 0);
	assert_string_equal(text, "01234567\xe2\x80\xa6");
}

static int count(const struct v8_chars *c, void *data)
{
	*(size_t *)data += c->n;
	return 0;
}

static void at_most_the_requested_number_of_characters_is_visited(void **state)
{
	static const struct {
		size_t max, n;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 9, 9 }, { 10, 10 }, { 11, 10 } };

	(void)state;
	fresh();
	for (size_t i = 0; i < N(rows); i++) {
		u64 flat = fake_string(&v, "0123456789");
		size_t n = 0;

		assert_int_equal(v8_string_visit(h, flat, rows[i].max, TARGET_TEXT, count, &n), 0);
		assert_int_equal(n, rows[i].n);
	}
}

static void invalid_strings_are_refused(void **state)
{
	char text[64];
	u64 loop, deep, s;
	size_t n = 0;

	(void)state;
	fresh();
	loop = fake_cons(&v, 0, 0, 1u << 30);
	fake_put(&v, loop - 1 + 16, loop);
	fake_put(&v, loop - 1 + 24, loop);
	assert_int_not_equal(v8_string_utf8(h, loop, text, sizeof(text)), 0);
	loop = fake_thin(&v, 0, 9);
	fake_put(&v, loop - 1 + 16, loop);
	assert_int_equal(v8_string_utf8(h, loop, text, sizeof(text)), -E2BIG);
	/* nested more deeply than the list of pending parts allows */
	deep = fake_string(&v, "x");
	for (u32 i = 0; i < 1000; i++)
		deep = fake_cons(&v, deep, fake_string(&v, "y"), 2 + i);
	assert_int_equal(v8_string_visit(h, deep, 5000, TARGET_TEXT, count, &n), -E2BIG);
	s = fake_string(&v, "short");
	assert_int_equal(v8_string_utf8(h, fake_sliced(&v, s, 3, 5), text, sizeof(text)), -EINVAL);
	assert_int_equal(v8_string_utf8(h, fake_sliced(&v, s, -1, 2), text, sizeof(text)), -EINVAL);
	assert_int_equal(v8_string_utf8(h, fake_sliced(&v, s, 0x7fffffff, 2), text, sizeof(text)),
			 -EINVAL);
	/* An object that is no string, a word that is no pointer, an unmapped address. */
	assert_int_equal(v8_string_utf8(h, fake_object(&v, 167, 80), text, sizeof(text)), -EINVAL);
	assert_int_equal(v8_string_utf8(h, fake_smi(5), text, sizeof(text)), -EINVAL);
	assert_int_not_equal(v8_string_utf8(h, 0x666000000001, text, sizeof(text)), 0);
	/* The length is larger than the memory that contains the string. */
	fake_bytes(&v, s - 1 + 12, "\xff\xff\xff\x7f", 4);
	assert_int_equal(v8_string_visit(h, s, 1u << 30, TARGET_TEXT, count, &n), -EFAULT);
}

static void string_is_right_or_an_error_if_a_read_fails(void **state)
{
	u64 s;
	char text[64];

	(void)state;
	fresh();
	s = fake_cons(&v, fake_thin(&v, fake_string(&v, "left-"), 5),
		      fake_sliced(&v, fake_string(&v, "__right__"), 2, 5), 10);
	check_text(s, "left-right");
	for (int n = 1; n < 60; n++) {
		struct v8_heap *other = fake_heap(&v);

		v.fault_every = n;
		v.reads = 0;
		text[0] = 0;
		if (!v8_string_utf8(other, s, text, sizeof(text)))
			assert_string_equal(text, "left-right");
		v.fault_every = 0;
		v8_heap_free(&other);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(latin1_string_is_converted_to_utf8),
		cmocka_unit_test(
			utf16_is_converted_to_utf8_with_u_fffd_for_lone_surrogates_and_nul),
		cmocka_unit_test(strings_of_every_representation_are_read),
		cmocka_unit_test(string_that_the_collector_moved_is_read_at_its_new_address),
		cmocka_unit_test(external_string_without_cached_data_is_refused),
		cmocka_unit_test(long_name_is_truncated_at_a_character_and_marked),
		cmocka_unit_test(at_most_the_requested_number_of_characters_is_visited),
		cmocka_unit_test(invalid_strings_are_refused),
		cmocka_unit_test(string_is_right_or_an_error_if_a_read_fails),
	};
	int r = CHECK_RUN(tests);

	v8_heap_free(&h);
	return r;
}
