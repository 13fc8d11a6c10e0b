/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Searches the test's own file for a text with so many copies that they are longer than one read of
 * elf_file_search().
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/elf/elf_search.h"
#include "../check.h"

#define REPEATS 100000

extern const char many[];
__asm__(".pushsection .rodata\n"
	"many:\n"
	".rept 100000\n"
	".ascii \"fifteen letters, many times over\"\n"
	".endr\n"
	".popsection\n");

/*
 * Checks the bytes before a match, but only from the third match on, because other bytes are before
 * the first two.
 */
static int look_before(const char *text, size_t n, void *data)
{
	int *seen = data;

	(void)n;
	if (++*seen > 2)
		assert_memory_equal(text - 15 - ELF_SEARCH_BEFORE, many, ELF_SEARCH_BEFORE);
	return -ENOENT;
}

static void callback_for_a_match_can_read_the_bytes_before_the_match(void **state)
{
	char mark[] = "fifteen letterS"; /* corrected below; this literal must not match */
	struct elf_file *f;
	int seen = 0;

	(void)state;
	mark[strlen(mark) - 1] = 's';
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(elf_file_search(f, mark, 1, look_before, &seen), -ENOENT);
	assert_in_range(seen, REPEATS, REPEATS + 10);
	elf_file_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callback_for_a_match_can_read_the_bytes_before_the_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
