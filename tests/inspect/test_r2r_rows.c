/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Unwind rows of hand-made precompiled images: an image of one assembly, and a composite image,
 * which has the functions of several assemblies, while other files have their method tables.
 *
 *	push %rbp; sub $0x10,%rsp; ...      the only function, at IMAGE + FUNCTION
 */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../inspect/dotnet/r2r_rows.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "fake_assembly.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Offsets in the file; the only section is at file offset 0x200 and RVA 0x2000. */
enum {
	RVA = 0x2000 - 0x200,
	SECTION_HEADER = 0x188,
	CLI_READY_TO_RUN = 0x200 + 64,
	HEADER = 0xe00,
	FUNCTIONS = 0xe80,
	UNWIND = 0xf00,
	UNWIND_LEN = 8,
	FUNCTION = 0x1010,
	FUNCTION_LEN = 0x40,
	FILE_LEN = 0x2000,
	PUSH_LEN = 1,
	PROLOGUE_LEN = 5,
};

enum { OF_FUNCTIONS = 102, OF_METHODS = 103, OF_COMPONENTS = 115 };

static u8 file[FILE_LEN];

static void put(u32 at, u64 value, u32 len)
{
	memcpy(file + at, &value, len);
}

static void put_section(u32 i, u32 type, u32 at, u32 len)
{
	put(HEADER + 16 + 12 * i, type, 4);
	put(HEADER + 20 + 12 * i, RVA + at, 4);
	put(HEADER + 24 + 12 * i, len, 4);
}

static void make(u32 other_section, u32 first_section)
{
	static const u8 unwind[UNWIND_LEN] = { 0x01,	     PROLOGUE_LEN, 2,	     0,
					       PROLOGUE_LEN, 0x12,	   PUSH_LEN, 0x50 };
	struct fake_assembly a;

	fake_assembly_make(&a, fake_signature, sizeof(fake_signature));
	memset(file, 0, sizeof(file));
	memcpy(file, a.bytes, a.len);
	assert_true(a.len <= HEADER);
	put(SECTION_HEADER + 8, FILE_LEN - 0x200, 4);
	put(SECTION_HEADER + 16, FILE_LEN - 0x200, 4);
	put(CLI_READY_TO_RUN, RVA + HEADER, 4);
	put(CLI_READY_TO_RUN + 4, 40, 4);
	memcpy(file + HEADER, "RTR", 4);
	put(HEADER + 4, 16, 2);
	put(HEADER + 12, 2, 4);
	put_section(0, first_section, FUNCTIONS, 12);
	put_section(1, other_section, FUNCTIONS + 12, 4);
	put(FUNCTIONS, RVA + FUNCTION, 4);
	put(FUNCTIONS + 4, RVA + FUNCTION + FUNCTION_LEN, 4);
	put(FUNCTIONS + 8, RVA + UNWIND, 4);
	memcpy(file + UNWIND, unwind, sizeof(unwind));
}

/* Opens the first @len bytes of the file. */
static int open_cut(struct r2r_rows **rows, size_t len)
{
	_cleanup_close_ int fd = memfd_create("r2r", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, len), len);
	return r2r_rows_open(rows, fd, 0);
}

static int open_rows(struct r2r_rows **rows)
{
	return open_cut(rows, sizeof(file));
}

static void expect_row(const struct uw_rule *rules, u32 row, u32 off, s32 cfa_off)
{
	const struct uw_rule *rule = &rules[row & ((1u << UW_ROW_OFF_SHIFT) - 1)];

	assert_int_equal(row >> UW_ROW_OFF_SHIFT, off);
	assert_int_equal(rule->cfa, cfa_off ? UW_CFA_SP : UW_CFA_NONE);
	assert_int_equal(rule->cfa_off, cfa_off);
}

static void functions_have_unwind_rows_wherever_the_method_tables_are(void **state)
{
	static const u32 others[] = { OF_METHODS, OF_COMPONENTS };
	static u32 found[UW_MAX_PAGE_ROWS];
	struct uw_rule table[16];
	u32 at = FUNCTION % UW_ROW_PAGE_LEN;

	(void)state;
	for (size_t i = 0; i < N(others); i++) {
		struct r2r_rows *rows;
		struct rules rules;
		u32 n;

		make(others[i], OF_FUNCTIONS);
		assert_int_equal(open_rows(&rows), 0);
		assert_int_equal(rules_init(&rules, table, N(table)), 0);
		assert_int_equal(r2r_rows_page(rows, &rules, UW_ROW_PAGE_LEN, found, &n), 0);
		assert_int_equal(n, 5);
		expect_row(table, found[0], 0, 0);
		expect_row(table, found[1], at, 8);
		expect_row(table, found[2], at + PUSH_LEN, 16);
		expect_row(table, found[3], at + PROLOGUE_LEN, 32);
		expect_row(table, found[4], at + FUNCTION_LEN, 0);
		rules_deinit(&rules);
		r2r_rows_free(&rows);
	}
}

static void component_of_a_composite_image_has_no_unwind_rows(void **state)
{
	struct r2r_rows *rows;

	(void)state;
	make(OF_METHODS, OF_COMPONENTS);
	assert_int_equal(open_rows(&rows), -ENOEXEC);
}

/*
 * Opening an image reads bytes before FUNCTIONS, and deriving the rows of a page reads bytes before
 * UNWIND; no later bytes are used.
 */
static void truncated_file_is_refused_or_has_no_wrong_row(void **state)
{
	static u32 found[UW_MAX_PAGE_ROWS];
	struct uw_rule table[16];
	u32 n, n_refused = 0, n_without = 0, n_whole = 0;

	(void)state;
	make(OF_METHODS, OF_FUNCTIONS);
	for (size_t len = 0; len <= sizeof(file); len++) {
		struct r2r_rows *rows = NULL;
		struct rules rules;

		if (open_cut(&rows, len)) {
			assert_null(rows);
			n_refused++;
			continue;
		}
		assert_int_equal(rules_init(&rules, table, N(table)), 0);
		assert_int_equal(r2r_rows_page(rows, &rules, UW_ROW_PAGE_LEN, found, &n), 0);
		n_whole += n == 5;
		n_without += n < 5;
		for (u32 i = 0; n < 5 && i < n; i++)
			assert_int_equal(table[found[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)].cfa,
					 UW_CFA_NONE);
		rules_deinit(&rules);
		r2r_rows_free(&rows);
	}
	assert_int_equal(n_refused, FUNCTIONS + 12);
	assert_int_equal(n_without, UNWIND + UNWIND_LEN - (FUNCTIONS + 12));
	assert_int_equal(n_whole, sizeof(file) + 1 - (UNWIND + UNWIND_LEN));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(truncated_file_is_refused_or_has_no_wrong_row),
	cmocka_unit_test(functions_have_unwind_rows_wherever_the_method_tables_are),
	cmocka_unit_test(component_of_a_composite_image_has_no_unwind_rows),
};

int main(void)
{
	return CHECK_RUN(tests);
}
