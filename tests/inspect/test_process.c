/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/target/target.h"
#include "../check.h"

static const char word[] = "a word in memory";

static void memory_of_a_process_is_read(void **state)
{
	struct target_process t;
	char text[sizeof(word)];

	(void)state;
	assert_int_equal(target_process_init(&t, getpid()), 0);
	assert_int_equal(target_read(&t.target, (u64)(uintptr_t)word, text, sizeof(text)), 0);
	assert_string_equal(text, word);
	assert_int_equal(target_read(&t.target, 0, text, 0), 0);
	target_process_deinit(&t);
}

static void read_returns_all_bytes_or_an_error_and_zeros(void **state)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const u64 bad[] = { 0, 8, 1ull << 47, 1ull << 63, ~0ull, ~0ull - 15 };
	struct target_process t;
	char bytes[16], zeros[16] = {};

	(void)state;
	memset(pages, 'x', 8192);
	munmap(pages + 4096, 4096);
	assert_int_equal(target_process_init(&t, getpid()), 0);
	assert_int_equal(target_read(&t.target, (u64)(uintptr_t)pages + 4080, bytes, 16), 0);
	assert_int_equal(bytes[15], 'x');
	for (u64 off = 4081; off < 4097; off++) {
		memset(bytes, 1, sizeof(bytes));
		assert_int_equal(target_read(&t.target, (u64)(uintptr_t)pages + off, bytes, 16),
				 -EFAULT);
		assert_memory_equal(bytes, zeros, 16);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(target_read(&t.target, bad[i], bytes, 16), -EFAULT);
	munmap(pages, 4096);
	target_process_deinit(&t);
}

/*
 * Reads through a page cache. The cache must not keep a page that could not be read, and after a
 * refresh no page at all.
 */
static void page_is_read_from_the_cache_until_the_cache_is_refreshed(void **state)
{
	const size_t len = 130 * 4096, far = 64 * 4096;
	u8 *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 addr = (u64)(uintptr_t)pages;
	struct target_process t;
	u8 b[16];

	(void)state;
	memset(pages, 1, len);
	assert_int_equal(target_process_init(&t, getpid()), 0);
	assert_int_equal(target_process_keep(&t), 0);
	assert_int_equal(target_read(&t.target, addr + 4080, b, 16), 0);
	memset(pages, 2, len);
	assert_int_equal(target_read(&t.target, addr + 4079, b, 16), 0);
	assert_true(b[0] == 1 && b[15] == 1);
	assert_int_equal(target_read(&t.target, addr + 4081, b, 16), 0); /* across the page end */
	assert_true(b[0] == 2 && b[15] == 2);
	assert_int_equal(target_read(&t.target, addr + far, b, 16), 0);
	assert_int_equal(b[0], 2);
	assert_int_equal(target_read(&t.target, addr, b, 16), 0);
	assert_int_equal(b[0], 2);
	memset(pages, 3, len);
	munmap(pages + 8192, 4096);
	assert_int_equal(target_read(&t.target, addr + 8192, b, 16), -EFAULT);
	assert_int_equal(target_read(&t.target, addr + 8192, b, 16), -EFAULT);
	assert_int_equal(target_read(&t.target, addr + 8192 + far, b, 16), 0);
	assert_int_equal(b[0], 3);
	assert_int_equal(target_read(&t.target, addr, b, 16), 0);
	assert_int_equal(b[0], 2);
	target_renew(&t.target);
	assert_int_equal(target_read(&t.target, addr, b, 16), 0);
	assert_int_equal(b[0], 3);
	munmap(pages, len);
	target_process_deinit(&t);
}

static void read_from_an_ended_process_fails(void **state)
{
	struct target_process t;
	char bytes[8];
	int pid = fork();

	(void)state;
	if (!pid)
		for (;;)
			pause();
	assert_int_equal(target_process_init(&t, pid), 0);
	assert_int_equal(target_read(&t.target, (u64)(uintptr_t)word, bytes, 8), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(target_read(&t.target, (u64)(uintptr_t)word, bytes, 8), -ESRCH);
	target_process_deinit(&t);
	assert_int_equal(target_process_init(&t, pid), -ESRCH);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_process_is_read),
		cmocka_unit_test(read_returns_all_bytes_or_an_error_and_zeros),
		cmocka_unit_test(page_is_read_from_the_cache_until_the_cache_is_refreshed),
		cmocka_unit_test(read_from_an_ended_process_fails),
	};

	return CHECK_RUN(tests);
}
