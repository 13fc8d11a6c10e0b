/* SPDX-License-Identifier: BSD-2-Clause */

/* Starts of functions that have no name, in files made for the test and in the test itself. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "../../inspect/unwind/starts.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_cfi.h"

static int open_made(struct starts **s, const struct made_cfi *m, u32 len)
{
	_cleanup_close_ int fd = made_fd(m, len);

	return starts_open(s, fd);
}

static void each_byte_of_a_function_has_its_start_and_no_other_byte_has_it(void **state)
{
	struct starts *s = NULL;
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 2);
	made_fde(&m, 16, 32, "", 0);
	made_fde(&m, 64, 32, "", 0);
	assert_int_equal(open_made(&s, &m, m.len), 0);
	for (u64 i = 0; i < 128; i++) {
		u64 first = i < 64 ? 16 : 64, start = 0, end = 0;
		bool is_in = i >= first && i < first + 32;

		assert_int_equal(starts_find(s, MADE_CODE + i, &start, &end), is_in ? 0 : -ENOENT);
		assert_int_equal(start, is_in ? MADE_CODE + first : 0);
		assert_int_equal(end, is_in ? MADE_CODE + first + 32 : 0);
	}
	starts_free(&s);
	made_deinit(&m);
}

static void only_the_function_of_a_broken_fde_has_no_start(void **state)
{
	struct starts *s = NULL;
	struct made_cfi m;
	u64 start, end;
	u32 broken;

	(void)state;
	made_init(&m, EM_X86_64, 2);
	broken = made_fde(&m, 16, 32, "", 0);
	made_fde(&m, 64, 32, "", 0);
	made_put(&m, broken + 4, 0x7fffffff, 4); /* the distance to the CIE */
	assert_int_equal(open_made(&s, &m, m.len), 0);
	assert_int_equal(starts_find(s, MADE_CODE + 20, &start, &end), -ENOEXEC);
	assert_int_equal(starts_find(s, MADE_CODE + 70, &start, &end), 0);
	assert_int_equal(start, MADE_CODE + 64);
	starts_free(&s);
	made_deinit(&m);
}

static void file_that_is_no_elf_file_or_has_no_fde_is_refused(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct starts *s = NULL;
	struct made_cfi m;

	(void)state;
	assert_int_equal(starts_open(&s, fd), -ENOEXEC);
	close(fd);
	made_init(&m, EM_X86_64, 1);
	assert_int_equal(open_made(&s, &m, m.len), -ENOENT);
	assert_null(s);
	made_deinit(&m);
}

static void found_function_contains_the_address_if_the_file_is_truncated_at_any_byte(void **state)
{
	struct starts *s = NULL;
	struct made_cfi m;
	u32 n_found = 0;

	(void)state;
	made_init(&m, EM_X86_64, 3);
	for (u32 i = 0; i < 3; i++)
		made_fde(&m, 64 * i, 48, "", 0);
	for (u32 len = MADE_HDR_OFF; len <= m.len; len++) {
		if (open_made(&s, &m, len))
			continue;
		for (u64 addr = MADE_CODE; addr < MADE_CODE + 192; addr += 8) {
			u64 start = 0, end = 0;

			if (starts_find(s, addr, &start, &end))
				continue;
			assert_in_range(addr, start, end - 1);
			n_found++;
		}
		starts_free(&s);
	}
	assert_true(n_found > 0);
	made_deinit(&m);
}

static u64 bias;

static int take_bias(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	bias = info->dlpi_addr;
	return 1;
}

__attribute__((noinline, noclone)) static int a_function(int n)
{
	__asm__ volatile("nop\n\tnop" : "+r"(n));
	return n + 1;
}

static void function_of_a_real_program_starts_at_its_address(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u64 addr = (u64)a_function, start, end;
	struct starts *s = NULL;

	(void)state;
	dl_iterate_phdr(take_bias, NULL);
	assert_int_equal(a_function(1), 2);
	assert_int_equal(starts_open(&s, fd), 0);
	assert_int_equal(starts_find(s, addr - bias + 1, &start, &end), 0);
	assert_int_equal(start, addr - bias);
	assert_true(end > start + 1);
	starts_free(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_of_a_function_has_its_start_and_no_other_byte_has_it),
		cmocka_unit_test(only_the_function_of_a_broken_fde_has_no_start),
		cmocka_unit_test(file_that_is_no_elf_file_or_has_no_fde_is_refused),
		cmocka_unit_test(
			found_function_contains_the_address_if_the_file_is_truncated_at_any_byte),
		cmocka_unit_test(function_of_a_real_program_starts_at_its_address),
	};

	return CHECK_RUN(tests);
}
