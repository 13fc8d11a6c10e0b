/* SPDX-License-Identifier: BSD-2-Clause */

/* Rows of code without call frame information, derived from its instructions. */

#include "page_checks.h"

/*
 * A program whose entry point calls a function that pushes a register and has no
 * FDE.
 */
static void make_program(struct made_cfi *m, u32 n_fdes)
{
	static const u8 start[] = { 0xe8, 0xfb, 0x06, 0x00, 0x00, 0xf4 }; /* call 0x800; hlt */
	static const u8 function[] = { 0x53, 0x90, 0x90, 0x5b, 0xc3 }; /* push rbx; pop rbx; ret */

	made_init(m, EM_X86_64, n_fdes);
	for (u32 i = 0; i < n_fdes; i++)
		made_fde(m, 0x2000 + i * 16, 16, "", 0);
	memcpy(m->bytes + MADE_CODE_OFF + 0x100, start, sizeof(start));
	memcpy(m->bytes + MADE_CODE_OFF + 0x800, function, sizeof(function));
	((Elf64_Ehdr *)m->bytes)->e_type = ET_EXEC;
	((Elf64_Ehdr *)m->bytes)->e_entry = MADE_CODE + 0x100;
}

/* The code from a function's start on can end at the end of a gap, or at the end of all code. */
static void rows_of_code_without_cfi_are_derived_from_its_instructions(void **state)
{
	struct made_cfi m;
	Elf64_Phdr *code;

	(void)state;
	make_program(&m, 2);
	make_page(&m, 0);
	expect_sp(0x801, 0x804, 16);
	made_deinit(&m);

	make_program(&m, MADE_HDR_OFF / 1024 + 1);
	make_page(&m, 0);
	expect_sp(0x801, 0x804, 16);

	/* In a program with so little code, all FDEs may be those of the start code. */
	code = (void *)(m.bytes + sizeof(Elf64_Ehdr));
	code->p_filesz = code->p_memsz = 0x2000;
	make_page(&m, 0);
	expect_sp(0x801, 0x804, 16);
	made_deinit(&m);
}

/*
 * In a program with FDEs, the code in gaps between FDEs is analyzed; in a program
 * without FDEs, the code that calls reach.
 */
static void code_that_no_call_reaches_is_not_analyzed_if_only_start_code_has_fdes(void **state)
{
	const u32 uncalled = 0x805; /* code after the function at 0x800, which nothing calls */
	struct made_cfi m;
	Elf64_Phdr *code;

	(void)state;
	make_program(&m, MADE_HDR_OFF / 1024 + 1);
	memcpy(m.bytes + MADE_CODE_OFF + uncalled, m.bytes + MADE_CODE_OFF + 0x800, 5);
	make_page(&m, 0);
	expect_sp(uncalled + 1, uncalled + 4, 16);
	code = (void *)(m.bytes + sizeof(Elf64_Ehdr));
	code->p_filesz = code->p_memsz = 0x2000;
	make_page(&m, 0);
	expect_sp(0x801, 0x804, 16);
	expect_kind(uncalled, uncalled + 5, UW_CFA_NONE);
	made_deinit(&m);
}

/*
 * V8's entry to its garbage collector: heap/base/asm/ARCH/push_registers_asm.cc,
 * 12.4.254.
 */
static const u8 push_x86_64[] = {
	0x55, 0x48, 0x89, 0xe5, 0x68, 0xcd, 0xcd, 0xcd, 0,    0x53, 0x41,
	0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x49, 0x89, 0xd0, 0x48,
	0x89, 0xe2, 0x41, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x30, 0x5d, 0xc3
};
static const u32 push_arm64[] = {
	0xa9bf53f3, 0xa9bf5bf5, 0xa9bf63f7, 0xa9bf6bf9, 0xa9bf73fb, 0xa9bf7bfd, 0x910003fd,
	0xaa0203e7, 0x910003e2, 0xd63f00e0, 0xa8c17bfd, 0x910143ff, 0xd65f03c0,
};

/* Functions with FDEs at 0 and 0x200, and between them code without an FDE. */
static void make_gap(struct made_cfi *m, u16 machine, const void *code, size_t len)
{
	made_init(m, machine, MADE_HDR_OFF / 1024 + 2);
	memcpy(m->bytes + MADE_CODE_OFF + 0x100, code, len);
	made_fde(m, 0, 0x100, "", 0);
	for (u32 i = 0; i <= MADE_HDR_OFF / 1024; i++)
		made_fde(m, 0x200 + i * 16, 16, "", 0);
	make_page(m, 0);
}

static void rows_of_functions_between_fdes_are_derived_from_the_instructions(void **state)
{
	const struct uw_rule *at = page.rule + 0x100;
	struct made_cfi m;

	(void)state;
	make_gap(&m, EM_X86_64, push_x86_64, sizeof(push_x86_64));
	expect_sp(0x100, 0x101, 8);
	assert_int_equal(at[1].cfa_off, 16);
	assert_int_equal(at[1].fp_off, -16);
	assert_int_equal(at[18].cfa_off, 64);
	assert_int_equal(at[31].cfa_off, 64 - 48);
	expect_sp(0x120, 0x121, 8);
	made_deinit(&m);

	make_gap(&m, EM_AARCH64, push_arm64, sizeof(push_arm64));
	assert_int_equal(at[20].cfa_off, 80);
	assert_int_equal(at[20].ra, UW_SAVED_SAME);
	for (u32 i = 6; i <= 10; i++) {
		assert_int_equal(at[4 * i].cfa_off, 96);
		assert_int_equal(at[4 * i].ra_off, -88);
		assert_int_equal(at[4 * i].fp_off, -96);
	}
	assert_int_equal(at[44].cfa_off, 80);
	assert_int_equal(at[44].ra, UW_SAVED_SAME);
	assert_int_equal(at[48].cfa_off, 0);
	made_deinit(&m);
}

/* Code that returns with a word left on the stack is no function. */
static void code_that_returns_with_words_on_the_stack_gets_no_rows(void **state)
{
	u8 code[sizeof(push_x86_64)];
	struct made_cfi m;

	(void)state;
	memcpy(code, push_x86_64, sizeof(code));
	code[30] = 0x38; /* add $56, %rsp */
	make_gap(&m, EM_X86_64, code, sizeof(code));
	expect_kind(0x100, 0x120, UW_CFA_NONE);
	made_deinit(&m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_of_code_without_cfi_are_derived_from_its_instructions),
	cmocka_unit_test(code_that_no_call_reaches_is_not_analyzed_if_only_start_code_has_fdes),
	cmocka_unit_test(rows_of_functions_between_fdes_are_derived_from_the_instructions),
	cmocka_unit_test(code_that_returns_with_words_on_the_stack_gets_no_rows),
};

int main(void)
{
	return CHECK_RUN(tests);
}
