// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the pool of unwind rows: the test writes it as the loader does and reads it as a walk
 * does.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../loader/rows/row_pool.h"
#include "../check.h"

#define MAX_ROWS 65536

struct world {
	struct uw_row_page pages[UW_MAX_ROW_PAGES];
	struct uw_rule rules[UW_MAX_RULES];
	u32 rows[MAX_ROWS];
	struct row_pool *p;
	u64 now_ns;
};

static struct world *make_world(u32 n_rows)
{
	struct world *w = calloc(1, sizeof(*w));
	struct row_memory m = {
		.pages = w->pages, .rules = w->rules, .rows = w->rows, .n_rows = n_rows
	};

	assert_int_equal(row_pool_new(&w->p, &m), 0);
	return w;
}

static void end_world(struct world *w)
{
	row_pool_free(&w->p);
	free(w);
}

static void tick(struct world *w)
{
	w->now_ns += ROW_POOL_GRACE_NS;
	row_pool_tick(w->p, w->now_ns);
}

/* A value that identifies a page; each rule of the page contains it. */
static u32 tag(u32 module, u32 page)
{
	return (module * 977 + page * 13) % UW_MAX_RULES;
}

static int add(struct world *w, u32 module, u32 page, u32 n)
{
	u32 rows[UW_MAX_PAGE_ROWS];

	for (u32 i = 0; i < n; i++)
		rows[i] = i << UW_ROW_OFF_SHIFT | tag(module, page);
	return row_pool_add(w->p, module, page, rows, n);
}

/* Adds a page, in a later tick if there is no room yet. */
static void add_sometime(struct world *w, u32 module, u32 page, u32 n)
{
	int err = -EAGAIN;

	for (u32 i = 0; i < 8 && err == -EAGAIN; i++) {
		err = add(w, module, page, n);
		if (err)
			tick(w);
	}
	assert_int_equal(err, 0);
}

/* The result of a look-up by the steps of a walk: the entry, its rows, and the entry again. */
struct found {
	bool there, whole;
	u32 n;
};

static const struct uw_row_page *entry(const struct world *w, u32 module, u32 page)
{
	u32 hash = uw_row_page_hash(module, page);

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		const struct uw_row_page *e = &w->pages[(hash + i) & (UW_MAX_ROW_PAGES - 1)];

		if (__atomic_load_n(&e->module, __ATOMIC_SEQ_CST) == module &&
		    __atomic_load_n(&e->page, __ATOMIC_SEQ_CST) == page)
			return e;
	}
	return NULL;
}

static struct found look_up(const struct world *w, u32 module, u32 page, bool twice)
{
	const volatile struct uw_row_page *e = entry(w, module, page);
	struct uw_row_page copy;
	struct found f = { .whole = true };

	if (!e)
		return f;
	copy = *e;
	for (u32 i = 0; i < copy.n; i++)
		f.whole &= ((const volatile u32 *)w->rows)[(copy.first + i) % MAX_ROWS] ==
			   (i << UW_ROW_OFF_SHIFT | tag(module, page));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	f.there = !twice || (e->module == module && e->page == page && e->first == copy.first &&
			     e->n == copy.n);
	f.n = copy.n;
	return f;
}

static void assert_there(const struct world *w, u32 module, u32 page, u32 n)
{
	struct found f = look_up(w, module, page, true);

	if (!f.there || !f.whole || f.n != n || !row_pool_has(w->p, module, page))
		fail_msg("look-up of page %u of module %u is wrong: found %d, whole %d, %u rows",
			 page, module, f.there, f.whole, f.n);
}

static void a_page_that_was_added_is_found_with_all_of_its_rows(void **state)
{
	struct world *w = make_world(MAX_ROWS);

	(void)state;
	assert_int_equal(add(w, 7, 3, 1), 0);
	assert_int_equal(add(w, 7, 4, UW_MAX_PAGE_ROWS), 0);
	assert_int_equal(add(w, 8, 3, 50), 0);
	assert_there(w, 7, 3, 1);
	assert_there(w, 7, 4, UW_MAX_PAGE_ROWS);
	assert_there(w, 8, 3, 50);
	assert_false(row_pool_has(w->p, 8, 4));
	assert_int_equal(row_pool_counts(w->p).pages, 3);
	assert_int_equal(row_pool_counts(w->p).rows, 1 + UW_MAX_PAGE_ROWS + 50);
	end_world(w);
}

static void a_page_with_invalid_rows_or_an_invalid_offset_is_rejected(void **state)
{
	static const struct {
		u32 module, n, rows[3];
	} cases[] = {
		{ 0, 1, { 0 } }, /* module 0 */
		{ 1, 0, { 0 } }, /* no rows */
		{ 1, 1, { 1u << UW_ROW_OFF_SHIFT } }, /* no row at offset 0 */
		{ 1, 2, { 0, 0 } }, /* two rows at one offset */
		{ 1, 3, { 0, 5u << UW_ROW_OFF_SHIFT, 4u << UW_ROW_OFF_SHIFT } },
		{ 1, 1, { UW_MAX_RULES } }, /* a rule that does not exist */
	};
	struct world *w = make_world(MAX_ROWS);
	u32 *many = calloc(UW_MAX_PAGE_ROWS + 1, sizeof(*many));

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(row_pool_add(w->p, cases[i].module, 1, cases[i].rows, cases[i].n),
				 -EINVAL);
	assert_int_equal(row_pool_add(w->p, 1, 1, many, UW_MAX_PAGE_ROWS + 1), -EINVAL);
	assert_int_equal(row_pool_add(w->p, 1, 1, many, ~0u), -EINVAL);
	assert_int_equal(row_pool_counts(w->p).refused, sizeof(cases) / sizeof(cases[0]) + 2);
	assert_int_equal(row_pool_counts(w->p).added, 0);
	free(many);
	end_world(w);
}

static void a_page_too_large_for_the_pool_is_rejected_permanently(void **state)
{
	static const u32 sizes[] = { 0, 1, 3, 4, 399, 400 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct world *w = make_world(sizes[i]);

		assert_int_equal(add(w, 1, 1, sizes[i] / 4 + 1), -EFBIG);
		assert_int_equal(row_pool_counts(w->p).refused, 1);
		if (sizes[i] >= 4)
			assert_int_equal(add(w, 1, 1, sizes[i] / 4), 0);
		end_world(w);
	}
}

/*
 * Fills the pool many times with pages of all sizes; each page that is found is correct, and
 * the newest is always found.
 */
static void the_oldest_pages_are_evicted_to_make_room_for_a_new_page(void **state)
{
	static const u32 sizes[] = { 100, 1000, 4096, 20000, MAX_ROWS };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		u32 n_rows = sizes[s], max = n_rows / 4 < 900 ? n_rows / 4 : 900;
		struct world *w = make_world(n_rows);

		for (u32 page = 0; page < 2000; page++) {
			add_sometime(w, 1, page, 1 + page * 37 % max);
			assert_there(w, 1, page, 1 + page * 37 % max);
			for (u32 old = page > 50 ? page - 50 : 0; old < page; old++)
				if (row_pool_has(w->p, 1, old))
					assert_there(w, 1, old, 1 + old * 37 % max);
			assert_true(row_pool_counts(w->p).rows <= n_rows);
		}
		assert_false(row_pool_has(w->p, 1, 0));
		assert_int_equal(row_pool_counts(w->p).added, 2000);
		assert_int_equal(row_pool_counts(w->p).pages + row_pool_counts(w->p).evicted, 2000);
		end_world(w);
	}
}

/* Pages are evicted first in, first out, so the newest ones are present without a gap. */
static void pages_are_evicted_in_the_order_in_which_they_were_added(void **state)
{
	struct world *w = make_world(10000);
	u32 first = 0;

	(void)state;
	for (u32 page = 0; page < 500; page++) {
		u32 i = 0;

		add_sometime(w, 1, page, 100);
		while (!row_pool_has(w->p, 1, i))
			i++;
		assert_true(i >= first);
		first = i;
		for (; i <= page; i++)
			assert_true(row_pool_has(w->p, 1, i));
	}
	end_world(w);
}

static void rows_of_an_evicted_page_are_not_overwritten_during_the_grace_time(void **state)
{
	struct world *w = make_world(4000);
	u32 page = 0, gone = 0, first;

	(void)state;
	while (add(w, 1, page, 500) == 0)
		page++;
	first = entry(w, 1, 0)->first;
	tick(w); /* evicts page 0, and perhaps more */
	assert_false(row_pool_has(w->p, 1, 0));
	while (gone < page && !row_pool_has(w->p, 1, gone))
		gone++;
	assert_int_equal(add(w, 1, page, 500), -EAGAIN);
	w->now_ns += ROW_POOL_GRACE_NS - 1;
	row_pool_tick(w->p, w->now_ns); /* before the end of the grace time */
	assert_int_equal(add(w, 1, page, 500), -EAGAIN);
	for (u32 i = 0; i < 500; i++)
		assert_int_equal(w->rows[first + i], i << UW_ROW_OFF_SHIFT | tag(1, 0));
	w->now_ns += 1;
	row_pool_tick(w->p, w->now_ns);
	assert_int_equal(add(w, 1, page, 500), 0);
	end_world(w);
}

/* Returns the number of the @nth page that hashes to the same entries. */
static u32 colliding(u32 nth)
{
	u32 page = 0, hash = uw_row_page_hash(1, 0);

	while (nth)
		nth -= uw_row_page_hash(1, ++page) == hash;
	return page;
}

static void the_oldest_page_with_the_same_hash_is_evicted_if_all_entries_are_used(void **state)
{
	struct world *w = make_world(MAX_ROWS);

	(void)state;
	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++)
		assert_int_equal(add(w, 1, colliding(i), 10), 0);
	for (u32 i = UW_ROW_PAGE_PROBES; i < 3 * UW_ROW_PAGE_PROBES; i++) {
		assert_int_equal(add(w, 1, colliding(i), 10), -EAGAIN);
		assert_false(row_pool_has(w->p, 1, colliding(i - UW_ROW_PAGE_PROBES)));
		assert_int_equal(add(w, 1, colliding(i), 10),
				 -EAGAIN); /* a walk may still read it */
		assert_true(row_pool_has(w->p, 1, colliding(i - UW_ROW_PAGE_PROBES + 1)));
		tick(w);
		assert_int_equal(add(w, 1, colliding(i), 10), 0);
		assert_there(w, 1, colliding(i), 10);
	}
	assert_int_equal(row_pool_counts(w->p).pages, UW_ROW_PAGE_PROBES);
	end_world(w);
}

static void a_new_page_is_added_even_if_all_entries_for_pages_are_used(void **state)
{
	struct world *w = make_world(MAX_ROWS);

	(void)state;
	for (u32 page = 0; page < 2 * UW_MAX_ROW_PAGES; page++)
		add_sometime(w, 1 + page % 3, page, 1);
	for (u32 page = 2 * UW_MAX_ROW_PAGES - 10000; page < 2 * UW_MAX_ROW_PAGES; page++)
		assert_there(w, 1 + page % 3, page, 1);
	assert_true(row_pool_counts(w->p).pages <= UW_MAX_ROW_PAGES);
	end_world(w);
}

static void the_reported_room_is_the_number_of_rows_that_fit_without_eviction(void **state)
{
	struct world *w = make_world(MAX_ROWS);
	u32 page = 0;

	(void)state;
	for (; row_pool_room(w->p) >= 300; page++) {
		u32 room = row_pool_room(w->p);

		assert_int_equal(add(w, 1, page, 300), 0);
		assert_int_equal(row_pool_room(w->p), room - 300);
		tick(w);
	}
	assert_true(page > MAX_ROWS / 300 / 2);
	assert_int_equal(row_pool_counts(w->p).evicted, 0);
	end_world(w);
}

/* Runs a walk and a writer at the same time, both without a pause. */
struct race {
	struct world *w;
	bool looks_twice, stop;
	u64 n_found, n_torn;
};

#define RACE_PAGES 64
#define RACE_ROWS 200

static void *read_all_the_time(void *data)
{
	struct race *r = data;

	for (u32 i = 0; !__atomic_load_n(&r->stop, __ATOMIC_RELAXED); i++) {
		struct found f = look_up(r->w, 1, i % RACE_PAGES, r->looks_twice);

		r->n_found += f.there;
		r->n_torn += f.there && !f.whole;
	}
	return NULL;
}

static u64 elapsed_ms(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)(now.tv_sec - from->tv_sec) * 1000 +
	       (u64)((now.tv_nsec - from->tv_nsec) / 1000000);
}

/*
 * Writes without pause. Time advances only in ticks here, so only the second read of the
 * entry protects a walk.
 */
static void write_all_the_time(struct race *r, bool clears, u64 ms)
{
	struct uw_row_page *before = calloc(UW_MAX_ROW_PAGES, sizeof(*before));
	struct timespec start;
	struct world *w = r->w;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (u32 i = 0; elapsed_ms(&start) < ms && (clears || !r->n_torn); i++) {
		u32 page = i * 7 % RACE_PAGES;

		if (!row_pool_has(w->p, 1, page) && add(w, 1, page, RACE_ROWS) == -EAGAIN) {
			memcpy(before, w->pages, clears ? 0 : sizeof(w->pages));
			tick(w);
			memcpy(w->pages, before, clears ? 0 : sizeof(w->pages));
		}
	}
	free(before);
}

static struct race run_race(bool clears, bool looks_twice, u64 ms)
{
	struct race r = { .w = make_world(RACE_PAGES * RACE_ROWS / 3), .looks_twice = looks_twice };
	pthread_t reader;

	assert_int_equal(pthread_create(&reader, NULL, read_all_the_time, &r), 0);
	write_all_the_time(&r, clears, ms);
	__atomic_store_n(&r.stop, true, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	assert_true(r.n_found > 0);
	end_world(r.w);
	return r;
}

static void a_walk_never_uses_a_torn_page(void **state)
{
	(void)state;
	assert_int_equal(run_race(true, true, 500).n_torn, 0);
}

/* Negative control: without clearing the entry, the test above fails. */
static void a_walk_uses_torn_pages_if_the_writer_does_not_clear_the_entry(void **state)
{
	(void)state;
	assert_true(run_race(false, true, 20000).n_torn > 0);
}

static void the_rule_at_an_offset_comes_from_the_last_row_at_or_below_it(void **state)
{
	static const u32 offs[] = { 0, 1, 5, 4095 };
	struct world *w = make_world(MAX_ROWS);
	u32 rows[4];

	(void)state;
	for (u32 i = 0; i < 4; i++)
		rows[i] = offs[i] << UW_ROW_OFF_SHIFT | (i + 1);
	assert_int_equal(add(w, 3, 6, 9), 0);
	assert_int_equal(row_pool_add(w->p, 3, 7, rows, 4), 0);
	for (u32 off = 0; off < UW_ROW_PAGE_LEN; off++) {
		u32 rule = off == 4095 ? 4 : off >= 5 ? 3 : off >= 1 ? 2 : 1;

		assert_ptr_equal(row_pool_rule(w->p, 3, 7 * UW_ROW_PAGE_LEN + off),
				 &w->rules[rule]);
	}
	assert_null(row_pool_rule(w->p, 3, 8 * UW_ROW_PAGE_LEN));
	assert_null(row_pool_rule(w->p, 4, 7 * UW_ROW_PAGE_LEN));
	end_world(w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rule_at_an_offset_comes_from_the_last_row_at_or_below_it),
		cmocka_unit_test(a_page_that_was_added_is_found_with_all_of_its_rows),
		cmocka_unit_test(a_page_with_invalid_rows_or_an_invalid_offset_is_rejected),
		cmocka_unit_test(a_page_too_large_for_the_pool_is_rejected_permanently),
		cmocka_unit_test(the_oldest_pages_are_evicted_to_make_room_for_a_new_page),
		cmocka_unit_test(pages_are_evicted_in_the_order_in_which_they_were_added),
		cmocka_unit_test(rows_of_an_evicted_page_are_not_overwritten_during_the_grace_time),
		cmocka_unit_test(
			the_oldest_page_with_the_same_hash_is_evicted_if_all_entries_are_used),
		cmocka_unit_test(a_new_page_is_added_even_if_all_entries_for_pages_are_used),
		cmocka_unit_test(the_reported_room_is_the_number_of_rows_that_fit_without_eviction),
		cmocka_unit_test(a_walk_never_uses_a_torn_page),
		cmocka_unit_test(a_walk_uses_torn_pages_if_the_writer_does_not_clear_the_entry),
	};

	return CHECK_RUN(tests);
}
