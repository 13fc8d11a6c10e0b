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

/* As in a program that NativeAOT compiled, which also has symbols of data about code. */
#define MANAGED_FUNCTION(id, symbol)                                                               \
	int id(int n) __asm__(symbol) __attribute__((section("__managedcode")));                   \
	FUNCTION(id, symbol)

MANAGED_FUNCTION(startup, "my_app__Module___StartupCodeMain")
MANAGED_FUNCTION(method, "my_app_Shop_Cart_Line__Add_1")
MANAGED_FUNCTION(helper, "RhNewObject")
FUNCTION(function, "my_app_Shop_Cart__Add")
__asm__(".data\n_lsda0my_app__Module___StartupCodeMain:\n\t.byte 0\n\t.text\n");

/*
 * A function whose symbol has no length, and after it a function without a symbol. Only the FDEs
 * separate them.
 */
__asm__(".text\n"
	"unsized:\n"
	"\t.cfi_startproc\n\tnop\n\tnop\n\tret\n\t.cfi_endproc\n"
	".Lunnamed:\n"
	"\t.cfi_startproc\n\tnop\n\tnop\n\tret\n\t.cfi_endproc\n"
	".data\n\t.balign 8\n"
	"unsized_len:\n\t.quad .Lunnamed - unsized\n"
	".text\n");
extern const char unsized[];
extern const u64 unsized_len;

static u64 bias;

static int take_bias(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	bias = info->dlpi_addr;
	return 1;
}

struct row {
	int (*function)(int n);
	const char *name;
};

static void check_names(const struct row *rows, size_t n)
{
	char name[SYMBOLS_NAME_LEN];
	struct elf_file *f;
	struct symbols *s;
	u64 off;

	dl_iterate_phdr(take_bias, NULL);
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(symbols_new(&s, f, f, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		u64 addr = (u64)(uintptr_t)rows[i].function - bias;

		assert_int_equal(symbols_lookup(s, addr, name, sizeof(name), &off), 0);
		assert_string_equal(name, rows[i].name);
		assert_int_equal(off, 0);
	}
	symbols_free(&s);
	elf_file_free(&f);
}

static void methods_in_managed_code_have_csharp_names(void **state)
{
	static const struct row rows[] = {
		{ startup, "<Module>.StartupCodeMain" },
		{ method, "Shop.Cart.Line.Add" },
		{ helper, "RhNewObject" },
		{ function, "my_app_Shop_Cart__Add" },
	};

	(void)state;
	check_names(rows, sizeof(rows) / sizeof(rows[0]));
}

static void cold_part_of_a_function_has_the_name_of_the_function(void **state)
{
	static const struct row rows[] = {
		{ cold, "rarely_run" },
		{ cold_part, "rarely_split" },
		{ cold_name, "ice.cold.storage" },
		{ part, "split.part.0" },
	};

	(void)state;
	check_names(rows, sizeof(rows) / sizeof(rows[0]));
}

static void symbol_without_a_length_ends_where_its_fde_ends(void **state)
{
	u64 addr, off;
	char name[SYMBOLS_NAME_LEN];
	struct elf_file *f;
	struct symbols *s;

	(void)state;
	dl_iterate_phdr(take_bias, NULL);
	addr = (u64)(uintptr_t)unsized - bias;
	assert_int_equal(elf_file_open(&f, "/proc/self/exe"), 0);
	assert_int_equal(symbols_new(&s, f, f, NULL), 0);
	for (u64 i = 0; i < 2 * unsized_len; i++) {
		bool is_found = !symbols_lookup(s, addr + i, name, sizeof(name), &off) &&
				!strcmp(name, "unsized");

		assert_int_equal(is_found, i < unsized_len);
	}
	symbols_free(&s);
	elf_file_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_part_of_a_function_has_the_name_of_the_function),
		cmocka_unit_test(methods_in_managed_code_have_csharp_names),
		cmocka_unit_test(symbol_without_a_length_ends_where_its_fde_ends),
	};

	return CHECK_RUN(tests);
}
