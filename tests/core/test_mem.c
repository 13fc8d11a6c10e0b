// SPDX-License-Identifier: BSD-2-Clause

/*
 * The simulator's memory reads like bpf_probe_read_user(): all or nothing, and zeros
 * on failure. test_kernel_reads applies the same table to the kernel.
 */

#include "walks.h"

#include "read-rows.h"

#include <errno.h>

static struct sim_mem *mem;

static int set_up(void **state)
{
	(void)state;
	return read_rows_image(&mem);
}

static int tear_down(void **state)
{
	(void)state;
	sim_mem_free(&mem);
	return 0;
}

static bool reads_as_expected(const struct read_row *row)
{
	u8 got[READ_MAX_LEN], want[READ_MAX_LEN];
	long result;

	memset(got, 0x5a, sizeof(got));
	result = sim_mem_read(mem, got, row->len, row->addr);
	read_row_bytes(row, want);
	return result == (row->ok ? 0 : SIM_FAULT) && !memcmp(got, want, sizeof(want));
}

static void read_returns_all_bytes_or_an_error_and_zeros(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_READ_ROWS; i++)
		if (!reads_as_expected(&read_rows[i]))
			fail_msg("%s", read_rows[i].name);
}

/* Negative control: a row with the opposite expectation fails. */
static void read_check_fails_if_the_expected_result_is_inverted(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_READ_ROWS; i++) {
		struct read_row row = read_rows[i];

		row.ok = !row.ok;
		assert_false(reads_as_expected(&row));
	}
}

static void only_the_selected_read_fails(void **state)
{
	u64 word;

	(void)state;
	sim_mem_fail_read(mem, 3);
	for (u32 i = 1; i <= 5; i++) {
		word = 0x5a;
		assert_int_equal(sim_mem_read(mem, &word, 8, READ_ADDR), i == 3 ? SIM_FAULT : 0);
		assert_int_equal(word, i == 3 ? 0 : 0x0706050403020100);
	}
	sim_mem_fail_read(mem, 1);
	sim_mem_fail_read(mem, 0);
	assert_int_equal(sim_mem_read(mem, &word, 8, READ_ADDR), 0);
}

static void full_log_keeps_the_first_reads_and_counts_all_reads(void **state)
{
	struct sim_read at[2];
	struct sim_read_log log = { at, 2, 0 };
	u64 word;

	(void)state;
	mem->log = &log;
	sim_mem_read(mem, &word, 8, READ_ADDR);
	sim_mem_read(mem, &word, 4, 16);
	sim_mem_read(mem, &word, 2, READ_ADDR);
	mem->log = NULL;
	assert_int_equal(log.n, 3);
	assert_int_equal(at[0].addr, READ_ADDR);
	assert_int_equal(at[0].len, 8);
	assert_int_equal(at[0].result, 0);
	assert_int_equal(at[1].addr, 16);
	assert_int_equal(at[1].result, SIM_FAULT);
}

static void impossible_address_range_is_refused(void **state)
{
	(void)state;
	assert_int_equal(sim_image_map(mem, 0x1234, 0x1000, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0x5000, 0x10, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0x5000, 0, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0x5000, 0x1000, 0xf0), -EINVAL);
	assert_int_equal(sim_image_map(mem, SIM_ADDR_LIMIT, 0x1000, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0xfffffffffffff000, 0x1000, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0x1000, 0xfffffffffffff000, SIM_READ), -EINVAL);
	assert_int_equal(sim_image_map(mem, 0x1000, 2 * SIM_IMAGE_MAX_LEN, SIM_READ), -ENOMEM);
}

static void mapping_a_mapped_page_again_is_refused(void **state)
{
	u64 word;

	(void)state;
	assert_int_equal(sim_image_map(mem, READ_ADDR, 0x1000, SIM_READ), -EEXIST);
	assert_int_equal(sim_image_map(mem, READ_ADDR - 0x1000, 0x2000, SIM_READ), -EEXIST);
	assert_int_equal(sim_image_unmap(mem, READ_ADDR, 0x1000), 0);
	assert_int_equal(sim_image_unmap(mem, READ_ADDR, 0x1000), -EFAULT);
	assert_int_equal(sim_image_write(mem, READ_ADDR, "x", 1), -EFAULT);
	assert_int_equal(sim_image_map(mem, READ_ADDR, 0x1000, SIM_READ), 0);
	assert_int_equal(sim_mem_read(mem, &word, 8, READ_ADDR), 0);
	assert_int_equal(word, 0);
}

static void bytes_are_kept_while_a_page_is_inaccessible_or_absent(void **state)
{
	u64 word;

	(void)state;
	assert_int_equal(sim_image_protect(mem, READ_ADDR, 0x1000, 0), 0);
	assert_int_equal(sim_image_set_present(mem, READ_ADDR, 0x1000, false), 0);
	assert_int_equal(sim_image_write(mem, READ_ADDR + 8, "ABCDEFGH", 8), 0);
	assert_int_equal(sim_image_protect(mem, READ_ADDR, 0x1000, SIM_READ), 0);
	assert_int_equal(sim_mem_read(mem, &word, 8, READ_ADDR + 8), SIM_FAULT);
	assert_int_equal(sim_image_set_present(mem, READ_ADDR, 0x1000, true), 0);
	assert_int_equal(sim_mem_read(mem, &word, 8, READ_ADDR + 8), 0);
	assert_memory_equal(&word, "ABCDEFGH", 8);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(read_returns_all_bytes_or_an_error_and_zeros),
		TEST(read_check_fails_if_the_expected_result_is_inverted),
		TEST(only_the_selected_read_fails),
		TEST(full_log_keeps_the_first_reads_and_counts_all_reads),
		TEST(impossible_address_range_is_refused),
		TEST(mapping_a_mapped_page_again_is_refused),
		TEST(bytes_are_kept_while_a_page_is_inaccessible_or_absent),
	};

	return CHECK_RUN(tests);
}
