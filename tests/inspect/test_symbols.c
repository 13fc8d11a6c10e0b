/* SPDX-License-Identifier: BSD-2-Clause */

/* Names of symbols with suffixes, in the symbol table of the test's own executable. */

#include <link.h>
#include <string.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/symbols/symbols.h"
#include "../check.h"

/*
 * Defines a function that has a second symbol. All bodies differ, so that the compiler does not
 * merge them.
 */
#define FUNCTION(id, symbol)                                                                       \
	int id(int n) __asm__(symbol);                                                             \
	__attribute__((noinline)) int id(int n)                                                    \
	{                                                                                          \
		return n * __COUNTER__;                                                            \
	}

FUNCTION(cold, "rarely_run.cold")
FUNCTION(cold_part, "rarely_split.cold.1")
FUNCTION(cold_name, "ice.cold.storage")
FUNCTION(part, "split.part.0")

static u64 bias;

static int take_bias(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	bias = info->dlpi_addr;
	return 1;
}

static void cold_part_of_a_function_has_the_name_of_the_function(void **state)
{
	static const struct {
		int (*function)(int n);
		const char *name;
	} rows[] = {
		{ cold, "rarely_run" },
		{ cold_part, "rarely_split" },
		{ cold_name, "ice.cold.storage" },
		{ part, "split.part.0" },
	};
	char name[SYMBOLS_NAME_LEN];
	struct elf_file *f;
	struct symbols *s;
	u64 off;

	(void)state;
	dl_iterate_phdr(take_bias, NULL);
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(symbols_new(&s, f, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u64 addr = (u64)(uintptr_t)rows[i].function - bias;

		assert_int_equal(symbols_lookup(s, addr, name, sizeof(name), &off), 0);
		assert_string_equal(name, rows[i].name);
		assert_int_equal(off, 0);
	}
	symbols_free(&s);
	elf_file_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_part_of_a_function_has_the_name_of_the_function),
	};

	return CHECK_RUN(tests);
}
