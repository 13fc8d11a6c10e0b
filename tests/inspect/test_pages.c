// SPDX-License-Identifier: BSD-2-Clause

/*
 * The memory of a case: bytes that are stored first are kept, and nothing that is stored may
 * contradict bytes that the walk has read.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/case/pages.h"
#include "../check.h"

#define BASE 0x10000ull

static struct pages pages;

static int end_pages(void **state)
{
	(void)state;
	pages_deinit(&pages);
	return 0;
}

static int put(u64 addr, u8 byte, u64 len, enum byte_state state)
{
	u8 bytes[3 * PAGE_LEN];

	memset(bytes, byte, sizeof(bytes));
	return pages_put(&pages, addr, bytes, len, state);
}

static u8 byte_at(u64 addr)
{
	return pages_find(&pages, addr)->bytes[addr & (PAGE_LEN - 1)];
}

static void bytes_that_the_walk_read_are_not_replaced_by_bytes_copied_later(void **state)
{
	(void)state;
	assert_int_equal(put(BASE + 8, 1, 8, BYTE_READ), 0);
	assert_int_equal(put(BASE, 2, 64, BYTE_COPIED), 0);
	assert_int_equal(byte_at(BASE + 7), 2);
	assert_int_equal(byte_at(BASE + 8), 1);
	assert_int_equal(byte_at(BASE + 15), 1);
	assert_int_equal(byte_at(BASE + 16), 2);
}

static void two_reads_of_one_byte_with_different_values_are_refused(void **state)
{
	(void)state;
	assert_int_equal(put(BASE, 1, 16, BYTE_READ), 0);
	assert_int_equal(put(BASE + 8, 1, 16, BYTE_READ), 0);
	assert_int_equal(put(BASE + 23, 2, 1, BYTE_READ), -ESTALE);
}

static void recorded_fault_excludes_the_bytes_that_another_read_returned(void **state)
{
	struct case_file c = { 0 };

	(void)state;
	assert_int_equal(put(BASE, 1, 1, BYTE_READ), 0);
	assert_int_equal(pages_put_fault(&pages, BASE, 4), 0);
	assert_int_equal(put(BASE, 9, PAGE_LEN, BYTE_COPIED), 0);
	assert_int_equal(pages_ranges(&pages, false, &c), 0);
	assert_int_equal(c.n_faults, 1);
	assert_int_equal(c.faults[0].addr, BASE + 1);
	assert_int_equal(c.faults[0].len, 3);
	assert_int_equal(c.n_ranges, 2);
	assert_int_equal(c.ranges[0].origin, CASE_BY_WALK);
	assert_int_equal(c.ranges[0].len, 1);
	assert_int_equal(c.ranges[1].addr, BASE + 4);
	assert_int_equal(c.ranges[1].origin, CASE_COPIED);
	pages_free_ranges(&c);
}

static void fault_at_bytes_that_were_all_read_is_refused(void **state)
{
	(void)state;
	assert_int_equal(put(BASE, 1, 64, BYTE_READ), 0);
	assert_int_equal(pages_put_fault(&pages, BASE + 8, 8), -ESTALE);
}

static void read_across_a_page_end_is_stored_in_both_pages(void **state)
{
	struct case_file c = { 0 };

	(void)state;
	assert_int_equal(put(BASE + PAGE_LEN - 4, 5, 8, BYTE_READ), 0);
	assert_int_equal(pages.n, 2);
	assert_int_equal(byte_at(BASE + PAGE_LEN + 3), 5);
	assert_int_equal(pages_ranges(&pages, false, &c), 0);
	assert_int_equal(c.n_ranges, 2);
	assert_int_equal(c.ranges[0].len + c.ranges[1].len, 8);
	pages_free_ranges(&c);
}

static void minimal_case_contains_no_copied_bytes(void **state)
{
	struct case_file c = { 0 };

	(void)state;
	assert_int_equal(put(BASE + 16, 1, 8, BYTE_READ), 0);
	assert_int_equal(put(BASE + 32, 2, 8, BYTE_NAMED), 0);
	assert_int_equal(put(BASE, 3, PAGE_LEN, BYTE_COPIED), 0);
	assert_int_equal(pages_ranges(&pages, true, &c), 0);
	assert_int_equal(c.n_ranges, 2);
	assert_int_equal(c.ranges[0].addr, BASE + 16);
	assert_int_equal(c.ranges[1].addr, BASE + 32);
	assert_int_equal(c.ranges[1].len, 8);
	pages_free_ranges(&c);
	assert_int_equal(pages_ranges(&pages, false, &c), 0);
	assert_int_equal(c.n_ranges, 3);
	pages_free_ranges(&c);
}

static void a_further_page_is_refused_if_a_case_has_the_maximum_number_of_pages(void **state)
{
	int err = 0;
	u32 n = 0;

	(void)state;
	while (!err && n <= PAGES_MAX)
		err = put(BASE + (u64)n++ * PAGE_LEN, 1, 1, BYTE_COPIED);
	assert_int_equal(err, -E2BIG);
	assert_int_equal(pages.n, PAGES_MAX);
}

#define T(f) cmocka_unit_test_teardown(f, end_pages)

static const struct CMUnitTest tests[] = {
	T(bytes_that_the_walk_read_are_not_replaced_by_bytes_copied_later),
	T(two_reads_of_one_byte_with_different_values_are_refused),
	T(recorded_fault_excludes_the_bytes_that_another_read_returned),
	T(fault_at_bytes_that_were_all_read_is_refused),
	T(read_across_a_page_end_is_stored_in_both_pages),
	T(minimal_case_contains_no_copied_bytes),
	T(a_further_page_is_refused_if_a_case_has_the_maximum_number_of_pages),
};

int main(void)
{
	return CHECK_RUN(tests);
}
