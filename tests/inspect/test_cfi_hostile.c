/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Call frame information that is wrong, truncated, or expensive to read. In every case, a page's
 * rows must be consistent (made_page() checks that) and unusable entries must be counted.
 */

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_cfi.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define WORK 200000 /* MAX_WORK of cfi.c */

static struct made_page page;

static int make_page(const struct made_cfi *m, u32 len)
{
	_cleanup_close_ int fd = made_fd(m, len);

	return made_page(fd, MADE_CODE_OFF, &page);
}

static bool is_described(u32 from, u32 to)
{
	bool all = true;

	for (u32 i = from; i < to; i++)
		all &= page.rule[i].cfa != UW_CFA_NONE;
	return all;
}

/*
 * Makes two functions with rows and reads the page that contains them. If nothing is wrong, all CFI
 * entries are used.
 */
static void make_two(struct made_cfi *m, u16 machine)
{
	u8 program[] = { 0x41, 0x0e, 16,   0x86, 2,    0x43, 0x0a, 0x0c,
			 6,    16,   0x41, 0x0b, 0x02, 9,    0x0e, 8 };

	program[8] = machine == EM_AARCH64 ? 29 : 6; /* fp */
	made_init(m, machine, 3);
	made_fde(m, 0, 64, program, sizeof(program));
	made_fde(m, 64, 64, program, sizeof(program));
	made_fde(m, 128, UW_ROW_PAGE_LEN - 128, "", 0);
	assert_int_equal(make_page(m, m->len), 0);
	assert_true(is_described(0, 128));
	assert_int_equal(page.counts.broken, 0);
}

static void rows_are_consistent_if_the_file_is_truncated_at_any_byte(void **state)
{
	struct made_cfi m;

	(void)state;
	make_two(&m, EM_X86_64);
	for (u32 len = 0; len < m.len; len++)
		if (len <= 256 || len + 512 >= m.len || len % 512 == 0)
			assert_true(make_page(&m, len) <= 0);
	made_deinit(&m);
}

/* If an open file shrinks, reading its rows gives an error or fewer rows. */
static void file_truncated_after_opening_gives_fewer_rows_or_an_error(void **state)
{
	_cleanup_(elf_file_free) struct elf_file *f = NULL;
	_cleanup_(cfi_free) struct cfi *c = NULL;
	_cleanup_(rules_deinit) struct rules r = {};
	static struct uw_rule table[64];
	u32 rows[UW_MAX_PAGE_ROWS], n;
	_cleanup_close_ int fd = -1;
	struct made_cfi m;

	(void)state;
	make_two(&m, EM_X86_64);
	fd = made_fd(&m, m.len);
	assert_int_equal(rules_init(&r, table, N(table)), 0);
	assert_int_equal(elf_file_open_fd(&f, fd), 0);
	assert_int_equal(cfi_open(&c, f), 0);
	assert_int_equal(ftruncate(fd, MADE_HDR_OFF), 0);
	assert_true(cfi_page(c, &r, MADE_CODE_OFF, rows, &n) <= 0);
	assert_int_equal(ftruncate(fd, MADE_CODE_OFF), 0);
	assert_true(cfi_page(c, &r, MADE_CODE_OFF, rows, &n) < 0);
	made_deinit(&m);
}

static void rows_are_consistent_if_any_byte_of_the_file_is_changed(void **state)
{
	static const u8 values[] = { 0, 1, 0x7f, 0x80, 0xff };
	static const u16 machines[] = { EM_X86_64, EM_AARCH64 };
	struct made_cfi m;

	(void)state;
	for (size_t k = 0; k < N(machines); k++) {
		make_two(&m, machines[k]);
		for (u32 at = MADE_HDR_OFF; at < m.len; at++) {
			u8 before = m.bytes[at];

			for (size_t i = 0; i < N(values); i++) {
				m.bytes[at] = values[i];
				assert_true(make_page(&m, m.len) <= 0);
			}
			m.bytes[at] = before;
		}
		made_deinit(&m);
	}
}

static void elf_file_of_another_machine_or_class_is_refused(void **state)
{
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_RISCV, 1);
	made_fde(&m, 0, 64, "", 0);
	assert_int_equal(make_page(&m, m.len), -ENOTSUP);
	m.bytes[EI_CLASS] = ELFCLASS32;
	assert_int_equal(make_page(&m, m.len), -ENOEXEC);
	made_deinit(&m);
}

/* Broken CFI programs for the first of two functions; the second function must still have rows. */
static const struct broken {
	const char *what;
	u8 program[24];
	u8 len;
} broken[] = {
	{ "restore_state without a remembered state", { 0x0b }, 1 },
	{ "an undefined instruction", { 0x3f }, 1 },
	{ "a truncated def_cfa", { 0x0c, 7 }, 2 },
	{ "a number longer than 64 bits",
	  { 0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1 },
	  14 },
	{ "an expression longer than the FDE", { 0x0f, 0xff, 0xff, 0xff, 0x7f }, 5 },
	{ "advance_loc4 past the end of the function", { 0x04, 0xff, 0xff, 0xff, 0xff }, 5 },
	{ "def_cfa_offset for a CFA given by an expression", { 0x0f, 1, 0x30, 0x0e, 8 }, 5 },
	{ "set_loc", { 0x01, 0, 0, 0, 0 }, 5 },
};

static void only_the_function_of_a_broken_cfi_program_has_no_rows(void **state)
{
	struct made_cfi m;

	(void)state;
	for (size_t i = 0; i < N(broken); i++) {
		made_init(&m, EM_X86_64, 2);
		made_fde(&m, 0, 64, broken[i].program, broken[i].len);
		made_fde(&m, 64, 64, "", 0);
		assert_int_equal(make_page(&m, m.len), 0);
		if (page.counts.broken != 1 || page.rule[0].cfa != UW_CFA_NONE)
			fail_msg("%s: %llu broken", broken[i].what, page.counts.broken);
		assert_true(is_described(64, 128));
		made_deinit(&m);
	}
}

/*
 * elfutils would allocate 2 GiB for this register number, because it allocates room for all
 * registers with lower numbers.
 */
static void large_register_number_causes_no_large_allocation(void **state)
{
	static const u8 program[] = { 0x05, 0xff, 0xff, 0xff, 0x3f, 1,	  0x07, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,	0x41, 0x0e, 16 };
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, 64, program, sizeof(program));
	assert_int_equal(make_page(&m, m.len), 0);
	assert_int_equal(page.counts.broken, 0);
	assert_int_equal(page.rule[0].cfa_off, 8);
	assert_int_equal(page.rule[1].cfa_off, 16);
	made_deinit(&m);
}

static void number_of_remembered_states_is_limited(void **state)
{
	static u8 program[60000];
	struct made_cfi m;

	(void)state;
	memset(program, 0x0a, sizeof(program));
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, 64, program, sizeof(program));
	assert_int_equal(make_page(&m, m.len), 0);
	assert_int_equal(page.counts.broken, 1);
	made_deinit(&m);
}

/* If a CIE is wrong, the functions whose FDEs use the CIE have no rows. @at: offset in the CIE. */
static void functions_whose_fdes_use_a_broken_cie_have_no_rows(void **state)
{
	static const struct {
		u8 at, value;
	} wrong[] = {
		{ 0, 0 }, /* no length */
		{ 0, 200 }, /* other entries follow as wrong instructions */
		{ 4, 1 }, /* not a CIE */
		{ 8, 99 }, /* version */
		{ 9, 'q' }, /* augmentation */
		{ 12, 0 }, /* code_align */
		{ 14, 17 }, /* return address */
		{ 15, 100 }, /* length of the augmentation */
		{ 16, 0x9b }, /* indirect */
		{ 16, 0x5b }, /* aligned */
		{ 16, 0x01 }, /* uleb128 */
		{ 17, 0x0b }, /* restore_state */
	};
	struct made_cfi m;

	(void)state;
	for (size_t i = 0; i < N(wrong); i++) {
		make_two(&m, EM_X86_64);
		m.bytes[m.frames_off + wrong[i].at] = wrong[i].value;
		assert_int_equal(make_page(&m, m.len), 0);
		if (page.rule[0].cfa != UW_CFA_NONE)
			fail_msg("CIE byte %u changed to %u: the function still has rows",
				 wrong[i].at, wrong[i].value);
		assert_true(page.counts.broken + page.counts.unknown > 0);
		made_deinit(&m);
	}
}

static void function_whose_cfi_contains_a_wild_pointer_has_no_rows(void **state)
{
	static const u32 to[] = { 0, 1, 4, 5, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	struct made_cfi m;

	(void)state;
	for (size_t i = 0; i < N(to); i++) {
		make_two(&m, EM_X86_64);
		made_put(&m, m.frames_off + 24 + 4, to[i], 4); /* CIE pointer of the first FDE */
		assert_int_equal(make_page(&m, m.len), 0);
		assert_int_equal(page.rule[0].cfa, UW_CFA_NONE);
		assert_true(is_described(64, 128));
		made_put(&m, MADE_HDR_OFF + 12 + 12, to[i], 4); /* address of the second FDE */
		assert_int_equal(make_page(&m, m.len), 0);
		assert_int_equal(page.rule[64].cfa, UW_CFA_NONE);
		made_deinit(&m);
	}
}

static void eh_frame_hdr_table_is_not_used_if_its_length_exceeds_the_file(void **state)
{
	struct made_cfi m;

	(void)state;
	make_two(&m, EM_X86_64);
	made_put(&m, MADE_HDR_OFF + 8, 0xffffffff, 4);
	assert_int_equal(make_page(&m, m.len), 0);
	assert_int_equal(page.n, 1);
	made_deinit(&m);
}

static void number_of_cfi_instructions_per_page_is_limited(void **state)
{
	_cleanup_free_ u8 *program = calloc(1, 100000);
	struct made_cfi m;

	(void)state;
	made_init(&m, EM_X86_64, 10);
	for (u32 i = 0; i < 10; i++)
		made_fde(&m, 64 * i, 64, program, 100000);
	assert_int_equal(make_page(&m, m.len), 0);
	assert_true(is_described(0, 64 * (WORK / 100000 - 1)));
	assert_int_equal(page.rule[64 * WORK / 100000].cfa, UW_CFA_NONE);
	assert_true(page.counts.capped > 0);
	made_deinit(&m);
}

static void number_of_fdes_per_page_is_limited(void **state)
{
	struct made_cfi m;
	u32 n = MADE_CAP / 32;

	(void)state;
	made_init(&m, EM_X86_64, n);
	for (u32 i = 0; i < n; i++) { /* all FDEs are for the same function */
		made_put(&m, MADE_HDR_OFF + 12 + 8 * i, MADE_CODE_OFF - MADE_HDR_OFF, 4);
		made_put(&m, MADE_HDR_OFF + 16 + 8 * i, m.frames_off + 24 - MADE_HDR_OFF, 4);
	}
	made_fde(&m, 0, 4096, "", 0);
	made_put(&m, MADE_HDR_OFF + 8, n, 4);
	assert_int_equal(make_page(&m, m.len), 0);
	made_deinit(&m);
}

/* A function with a row at each byte of many pages: every page has 4096 rows. */
static void page_with_an_unwind_row_at_every_byte_has_all_of_its_rows(void **state)
{
	u8 program[4 * 1024 * 3];
	struct made_cfi m;

	(void)state;
	for (u32 i = 0; i < sizeof(program); i += 3) { /* cfa 8 or 16, advance 1 */
		program[i] = 0x0e;
		program[i + 1] = i & 1 ? 8 : 16;
		program[i + 2] = 0x41;
	}
	made_init(&m, EM_X86_64, 1);
	made_fde(&m, 0, 4096, program, sizeof(program));
	assert_int_equal(make_page(&m, m.len), 0);
	assert_int_equal(page.n, UW_MAX_PAGE_ROWS);
	made_deinit(&m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_are_consistent_if_the_file_is_truncated_at_any_byte),
	cmocka_unit_test(file_truncated_after_opening_gives_fewer_rows_or_an_error),
	cmocka_unit_test(rows_are_consistent_if_any_byte_of_the_file_is_changed),
	cmocka_unit_test(elf_file_of_another_machine_or_class_is_refused),
	cmocka_unit_test(only_the_function_of_a_broken_cfi_program_has_no_rows),
	cmocka_unit_test(large_register_number_causes_no_large_allocation),
	cmocka_unit_test(number_of_remembered_states_is_limited),
	cmocka_unit_test(functions_whose_fdes_use_a_broken_cie_have_no_rows),
	cmocka_unit_test(function_whose_cfi_contains_a_wild_pointer_has_no_rows),
	cmocka_unit_test(eh_frame_hdr_table_is_not_used_if_its_length_exceeds_the_file),
	cmocka_unit_test(number_of_cfi_instructions_per_page_is_limited),
	cmocka_unit_test(number_of_fdes_per_page_is_limited),
	cmocka_unit_test(page_with_an_unwind_row_at_every_byte_has_all_of_its_rows),
};

int main(void)
{
	return CHECK_RUN(tests);
}
