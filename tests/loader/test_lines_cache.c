// SPDX-License-Identifier: BSD-2-Clause

/* Tests the cache of lines: its contents, lifetimes and memory limit. */

#include <stdlib.h>
#include <string.h>

#include "../../loader/symbols/lines_cache.h"
#include "../check.h"

static struct lines_cache *cache;

static int begin(void **state)
{
	(void)state;
	return lines_cache_new(&cache);
}

static int finish(void **state)
{
	(void)state;
	lines_cache_free(&cache);
	return cache != NULL;
}

static void put(u32 module, u64 addr, const char *text, u32 n_frames)
{
	struct lines_known known = { n_frames, (u32)strlen(text), text };

	lines_cache_put(cache, &(struct lines_key){ module, addr }, &known);
}

static enum lines_state find(u32 module, u64 addr, u32 generation, struct lines_known *known)
{
	return lines_cache_find(cache, &(struct lines_key){ module, addr }, generation, known);
}

static void one_address_in_two_modules_has_two_cache_entries(void **state)
{
	struct lines_known known;

	(void)state;
	put(1, 0x10, "one", 1);
	put(2, 0x10, "two", 2);
	assert_int_equal(find(1, 0x10, 1, &known), LINES_KNOWN);
	assert_string_equal(known.text, "one");
	assert_int_equal(known.n_frames, 1);
	assert_int_equal(find(2, 0x10, 1, &known), LINES_KNOWN);
	assert_string_equal(known.text, "two");
	assert_int_equal(known.len, 3);
	for (u32 module = 3; module < 20000; module++) /* some share a set of the cache */
		assert_int_equal(find(module, 0x10, 1, &known), LINES_UNKNOWN);
	assert_int_equal(find(1, 0x11, 1, &known), LINES_UNKNOWN);
}

static void requests_that_a_dead_helper_did_not_answer_are_repeated(void **state)
{
	struct lines_key key = { 1, 0x10 };
	struct lines_known known;

	(void)state;
	lines_cache_asked(cache, &key, 7);
	assert_int_equal(find(1, 0x10, 7, &known), LINES_ASKED);
	assert_int_equal(find(1, 0x10, 8, &known), LINES_UNKNOWN);
	put(1, 0x10, "", 0);
	assert_int_equal(find(1, 0x10, 9, &known), LINES_KNOWN); /* answers outlive the helper */
	assert_int_equal(known.n_frames, 0);
}

static void a_later_answer_for_an_address_replaces_the_first_answer(void **state)
{
	struct lines_known known;

	(void)state;
	put(1, 0x10, "first", 1);
	put(1, 0x10, "second", 1);
	assert_int_equal(find(1, 0x10, 1, &known), LINES_KNOWN);
	assert_string_equal(known.text, "second");
}

static void recently_used_entries_of_the_lines_cache_are_not_evicted(void **state)
{
	struct lines_known known;
	u32 n_known = 0;

	(void)state;
	for (u64 i = 0; i < 40000; i++) {
		put(1, i * 16, "x", 1);
		assert_int_equal(find(1, 0, 1, &known), LINES_KNOWN);
	}
	for (u64 i = 0; i < 40000; i++)
		n_known += find(1, i * 16, 1, &known) == LINES_KNOWN;
	assert_true(n_known > 8000 && n_known <= 16384);
}

static void the_total_length_of_all_texts_in_the_lines_cache_is_limited(void **state)
{
	const size_t len = 1 << 20;
	char *text = malloc(len + 1);
	u32 n_known = 0, most = 0;
	struct lines_known known;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	text[len] = 0;
	for (u64 i = 0; i < 100; i++) {
		put(1, i * 4096, text, 1);
		n_known = 0;
		for (u64 k = 0; k <= i; k++)
			n_known += find(1, k * 4096, 1, &known) == LINES_KNOWN;
		most = n_known > most ? n_known : most;
		assert_true(n_known >= 1 && n_known * len <= LINES_CACHE_BYTES);
	}
	assert_int_equal(most, LINES_CACHE_BYTES / len);
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(one_address_in_two_modules_has_two_cache_entries),
		TEST(requests_that_a_dead_helper_did_not_answer_are_repeated),
		TEST(a_later_answer_for_an_address_replaces_the_first_answer),
		TEST(recently_used_entries_of_the_lines_cache_are_not_evicted),
		TEST(the_total_length_of_all_texts_in_the_lines_cache_is_limited),
	};

	return CHECK_RUN(tests);
}
