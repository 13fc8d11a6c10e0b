// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests that names of any length, at any offset of the ring, are read as written or counted
 * as lost.
 */

#include "../check.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/flight/fl_names.h"

#define N_WORDS FL_NAMES_MIN
#define BYTES (sizeof(struct fl_names) + N_WORDS * 8)

static struct fl_names *new_names(void)
{
	struct fl_names *n = calloc(1, BYTES);

	assert_non_null(n);
	return n;
}

/* The ident of a name determines the length and the bytes of the name. */
static size_t text_of(u64 ident, char *text)
{
	size_t len = ident * 31 % 300;

	for (size_t i = 0; i < len; i++)
		text[i] = (char)(ident * 7 + i);
	return len;
}

static void add_known(struct fl_names *n, u64 ident)
{
	char text[300];
	size_t len = text_of(ident, text);

	fl_names_add(n, N_WORDS, (u8)ident, ident, ident + 5, text, len);
}

static bool is_known(const struct fl_name *name)
{
	char text[300];
	size_t len = text_of(name->ident, text);

	return name->len == len && !memcmp(name->text, text, len) && name->text[len] == '\0' &&
	       name->tag == (u8)name->ident && name->time_ns == name->ident + 5 &&
	       name->number == name->ident && !name->is_cut;
}

static void an_empty_ring_has_no_names(void **state)
{
	struct fl_names *n = new_names();
	struct fl_names_cursor c = { 0 };
	static struct fl_name name;

	(void)state;
	assert_int_equal(fl_names_next(n, N_WORDS, &c, &name), 0);
	free(n);
}

/*
 * Records of many lengths begin at every word of the ring, so that every word of a record is
 * at the wrap once.
 */
static void a_name_is_read_back_unchanged_wherever_it_wraps_in_the_ring(void **state)
{
	static struct fl_name name;
	char text[FL_NAME_MAX];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (u64 start = 0; start < N_WORDS; start += 1)
		for (size_t len = 0; len < 64; len += 9) {
			struct fl_names *n = new_names();
			struct fl_names_cursor c = { 0 };

			n->first = n->end = 5 * N_WORDS + start;
			for (u64 i = 0; i < 3; i++)
				fl_names_add(n, N_WORDS, 1, i, 0, text, len);
			for (u64 i = 0; i < 3; i++) {
				assert_int_equal(fl_names_next(n, N_WORDS, &c, &name), 1);
				assert_int_equal(name.ident, i);
				assert_int_equal(name.len, len);
				assert_memory_equal(name.text, text, len);
			}
			assert_int_equal(fl_names_next(n, N_WORDS, &c, &name), 0);
			free(n);
		}
}

static void names_overwritten_before_they_are_read_are_counted_as_lost(void **state)
{
	struct fl_names *n = new_names();
	struct fl_names_cursor c = { 0 };
	static struct fl_name name;
	u64 n_read = 0, ident = 0;

	(void)state;
	for (u32 round = 1; round < 100; round++) {
		for (u32 i = 0; i < round; i++)
			add_known(n, ident++);
		while (fl_names_next(n, N_WORDS, &c, &name) == 1) {
			assert_true(is_known(&name));
			n_read++;
		}
		assert_int_equal(n_read + c.lost, ident);
		assert_int_equal(name.ident, ident - 1);
	}
	assert_true(c.lost > 0);
	free(n);
}

static void names_longer_than_the_limit_are_cut_and_marked_as_cut(void **state)
{
	static char text[FL_NAME_MAX + 9];
	static struct fl_name name;

	(void)state;
	memset(text, 'y', sizeof(text));
	for (size_t len = FL_NAME_MAX - 9; len <= sizeof(text); len++) {
		struct fl_names *n = new_names();
		struct fl_names_cursor c = { 0 };

		fl_names_add(n, N_WORDS, 1, 1, 1, text, len);
		assert_int_equal(fl_names_next(n, N_WORDS, &c, &name), 1);
		assert_int_equal(name.len, len < FL_NAME_MAX ? len : FL_NAME_MAX);
		assert_int_equal(name.is_cut, len > FL_NAME_MAX);
		free(n);
	}
}

static void the_reader_of_a_damaged_ring_stays_within_bounds_and_ends(void **state)
{
	static struct fl_name name;
	u64 x = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct fl_names *n = new_names();
		struct fl_names_cursor c = { 0 };

		for (u64 i = 0; i < 60; i++)
			add_known(n, i);
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		((u64 *)n)[(x >> 33) % (BYTES / 8)] ^= 1ull << (x >> 20 & 63);
		for (int i = 0; i < 100 && fl_names_next(n, N_WORDS, &c, &name) == 1; i++)
			assert_true(name.len <= FL_NAME_MAX && !name.text[name.len]);
		free(n);
	}
}

static bool is_done;

static void *write_all(void *data)
{
	for (u64 ident = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); ident++)
		add_known(data, ident);
	return NULL;
}

/* A reader runs while a writer laps it again and again. */
static void no_name_is_torn_while_it_is_written(void **state)
{
	struct fl_names *n = new_names(), *copy = new_names();
	struct fl_names_cursor c = { 0 };
	static struct fl_name name;
	u64 n_read = 0, n_bad = 0;
	pthread_t writer;

	(void)state;
	is_done = false;
	assert_int_equal(pthread_create(&writer, NULL, write_all, n), 0);
	while (n_read < 50000 && !n_bad) {
		int got;

		fl_names_copy(n, N_WORDS, copy);
		while ((got = fl_names_next(copy, N_WORDS, &c, &name)) == 1) {
			n_bad += !is_known(&name);
			n_read++;
		}
		n_bad += got != 0;
	}
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(n_bad, 0);
	assert_int_equal(c.number, n_read + c.lost);
	free(n);
	free(copy);
}

/* Negative control: a reader that reads `first` before it copies the ring accepts torn names. */
static void a_reader_that_checks_the_bounds_before_copying_accepts_torn_names(void **state)
{
	struct fl_names *n = new_names(), *copy = new_names();
	static struct fl_name name;
	pthread_t writer;
	u64 n_bad = 0;

	(void)state;
	is_done = false;
	assert_int_equal(pthread_create(&writer, NULL, write_all, n), 0);
	for (u64 i = 0; i < 10000000 && !n_bad; i++) {
		struct fl_names_cursor c = { 0 };
		int got;

		copy->first = __atomic_load_n(&n->first, __ATOMIC_ACQUIRE);
		copy->end = __atomic_load_n(&n->end, __ATOMIC_ACQUIRE);
		for (u64 k = 0; k < N_WORDS; k++)
			copy->words[k] = __atomic_load_n(&n->words[k], __ATOMIC_RELAXED);
		while ((got = fl_names_next(copy, N_WORDS, &c, &name)) == 1)
			n_bad += !is_known(&name);
		n_bad += got != 0;
	}
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_true(n_bad > 0);
	free(n);
	free(copy);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_has_no_names),
		cmocka_unit_test(a_name_is_read_back_unchanged_wherever_it_wraps_in_the_ring),
		cmocka_unit_test(names_overwritten_before_they_are_read_are_counted_as_lost),
		cmocka_unit_test(names_longer_than_the_limit_are_cut_and_marked_as_cut),
		cmocka_unit_test(the_reader_of_a_damaged_ring_stays_within_bounds_and_ends),
		cmocka_unit_test(no_name_is_torn_while_it_is_written),
		cmocka_unit_test(a_reader_that_checks_the_bounds_before_copying_accepts_torn_names),
	};

	return CHECK_RUN(tests);
}
