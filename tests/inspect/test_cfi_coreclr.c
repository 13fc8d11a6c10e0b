// SPDX-License-Identifier: BSD-2-Clause

/*
 * Rows of CoreCLR code whose FDEs are wrong. The code is recognized by its bytes, and gets other
 * rows.
 */

#include <elf.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_cfi.h"

static struct made_page page;

static void expect(u32 from, u32 to, enum uw_cfa cfa, s32 cfa_off)
{
	for (u32 i = from; i < to; i++) {
		assert_int_equal(page.rule[i].cfa, cfa);
		assert_int_equal(page.rule[i].cfa_off, cfa_off);
		assert_int_equal(page.rule[i].fp, UW_SAVED_SAME);
		if (cfa == UW_CFA_SP)
			assert_int_equal(page.rule[i].ra_off, -8);
	}
}

/*
 * Puts the code of .NET 8's OnHijackTripThread at @at; it may cross a page boundary. This function
 * is entered by a return, but its FDE is for a function that was called, so the frame in the FDE is
 * one word too large.
 */
static void make_hijack(u32 at, u8 first, u32 number)
{
	static const u8 code[] = {
		0x50, 0x55, 0x53, 0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x52, 0x50, 0x48,
		0x89, 0xe7, 0x48, 0x8d, 0x64, 0x24, 0xd8, 0x66, 0x0f, 0x7f, 0x04, 0x24, 0x66, 0x0f,
		0x7f, 0x4c, 0x24, 0x10, 0xe8, 0x07, 0xf6, 0xf0, 0xff, 0x66, 0x0f, 0x6f, 0x04, 0x24,
		0x66, 0x0f, 0x6f, 0x4c, 0x24, 0x10, 0x48, 0x8d, 0x64, 0x24, 0x28, 0x58, 0x5a, 0x41,
		0x5c, 0x41, 0x5d, 0x41, 0x5e, 0x41, 0x5f, 0x5b, 0x5d, 0xc3,
	};
	static const u8 cfa_120[] = { 0x0e, 120 };
	_cleanup_close_ int fd = -1;
	struct made_cfi m;

	made_init(&m, EM_X86_64, 1);
	memcpy(m.bytes + MADE_CODE_OFF + at, code, sizeof(code));
	m.bytes[MADE_CODE_OFF + at] = first;
	made_fde(&m, at - 16, 16 + sizeof(code), cfa_120, sizeof(cfa_120));
	fd = made_fd(&m, m.len);
	assert_int_equal(made_page(fd, MADE_CODE_OFF + number * UW_ROW_PAGE_LEN, &page), 0);
	made_deinit(&m);
}

static void hijack_trampoline_is_not_unwound_like_a_called_function(void **state)
{
	(void)state;
	make_hijack(0x40, 0x50, 0);
	expect(0x30, 0x3f, UW_CFA_SP, 120);
	expect(0x3f, 0x40 + 21, UW_CFA_HIJACKED, 0);
	expect(0x40 + 21, 0x40 + 53, UW_CFA_SP, 40 + 9 * 8);
	expect(0x40 + 53, 0x40 + 54, UW_CFA_SP, 9 * 8); /* pop rax */
	expect(0x40 + 54, 0x40 + 55, UW_CFA_SP, 8 * 8); /* pop rdx */
	expect(0x40 + 55, 0x40 + 57, UW_CFA_SP, 7 * 8); /* pop r12 */
	expect(0x40 + 64, 0x40 + 65, UW_CFA_SP, 2 * 8); /* pop rbp */
	expect(0x40 + 65, 0x40 + 66, UW_CFA_SP, 8); /* ret */
	for (u32 before = 1; before < 66; before++) { /* now the code crosses the end of a page */
		make_hijack(0x1000 - before, 0x50, 1);
		if (before < 64)
			expect(64 - before, 65 - before, UW_CFA_SP, 2 * 8);
		expect(65 - before, 66 - before, UW_CFA_SP, 8);
	}
	make_hijack(0x40, 0x51, 0); /* code of another function */
	expect(0x30, 0x40 + 66, UW_CFA_SP, 120);
}

/* ---- functions of NativeAOT ---- */

#define BODY 0x20 /* offset of the code in the page */

/* Puts all code into a section named @name. */
static void make_section(struct made_cfi *m, const char *name)
{
	Elf64_Ehdr *eh = (void *)m->bytes;
	u32 names = m->len, at = (names + 64 + 7) & ~7u;
	Elf64_Shdr sections[] = {
		{},
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = MADE_CODE,
		  .sh_offset = MADE_CODE_OFF,
		  .sh_size = MADE_CODE_LEN },
		{ .sh_name = 32, .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = 64 },
	};

	strcpy((char *)m->bytes + names + 1, name);
	memcpy(m->bytes + at, sections, sizeof(sections));
	m->len = at + (u32)sizeof(sections);
	eh->e_shoff = at;
	eh->e_shentsize = sizeof(sections[0]);
	eh->e_shnum = 3;
	eh->e_shstrndx = 2;
}

/* Puts @code at @at in section @section, with an FDE for a frame of 64 bytes that saves rbp. */
static void make_aot(const char *section, u32 at, const u8 *code, u32 len)
{
	static const u8 frame[] = { 0x0e, 64, 0x86, 2 };
	_cleanup_close_ int fd = -1;
	struct made_cfi m;

	made_init(&m, EM_X86_64, 1);
	memcpy(m.bytes + MADE_CODE_OFF + at, code, len);
	made_fde(&m, at, len, frame, sizeof(frame));
	make_section(&m, section);
	fd = made_fd(&m, m.len);
	assert_int_equal(
		made_page(fd, MADE_CODE_OFF + at / UW_ROW_PAGE_LEN * UW_ROW_PAGE_LEN, &page), 0);
	made_deinit(&m);
}

static void expect_at(u32 at, s32 cfa_off, s32 fp_off)
{
	const struct uw_rule *r = &page.rule[at];

	assert_int_equal(r->cfa, UW_CFA_SP);
	assert_int_equal(r->cfa_off, cfa_off);
	assert_int_equal(r->ra, UW_SAVED_CFA);
	assert_int_equal(r->ra_off, -8);
	assert_int_equal(r->fp, fp_off ? UW_SAVED_CFA : UW_SAVED_SAME);
	assert_int_equal(r->fp_off, fp_off);
}

/* The last instructions of Work.Once() in a .NET 9.0.22 program. */
static const u8 once[] = {
	0x41, 0x03, 0xc6, /* add %r14d, %eax */
	0x48, 0x83, 0xc4, 0x50, /* add $80, %rsp */
	0x5b, 0x41, 0x5d, 0x41, 0x5e, 0x41, 0x5f, 0x5d, /* pop %rbx, %r13 to %r15, %rbp */
	0xc3,
};

static void native_aot_epilogue_is_decoded_backwards_from_the_last_instruction(void **state)
{
	static const struct {
		u32 at;
		s32 cfa_off, fp_off;
	} rows[] = { { 0, 64, -16 },  { 2, 64, -16 }, { 3, 128, -16 }, { 6, 128, -16 },
		     { 7, 48, -16 },  { 8, 40, -16 }, { 10, 32, -16 }, { 12, 24, -16 },
		     { 14, 16, -16 }, { 15, 8, 0 } };

	(void)state;
	make_aot("__managedcode", BODY, once, sizeof(once));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_at(BODY + rows[i].at, rows[i].cfa_off, rows[i].fp_off);
	for (u32 before = 1; before < sizeof(once); before++) { /* crosses a page end */
		make_aot("__managedcode", UW_ROW_PAGE_LEN - before, once, sizeof(once));
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (rows[i].at < before)
				expect_at(UW_ROW_PAGE_LEN - before + rows[i].at, rows[i].cfa_off,
					  rows[i].fp_off);
	}
}

static void code_that_only_resembles_an_epilogue_keeps_the_rows_of_the_fde(void **state)
{
	/* call *0x58(%rax); pop %rbp; ret: the last byte of the call is like that of a pop */
	static const u8 call[] = { 0xff, 0x50, 0x58, 0x5d, 0xc3 };
	/* a jump inside the function after a pop */
	static const u8 inside[] = { 0x5b, 0xeb, 0x01, 0x90, 0x90 };
	/* the same jump, but out of the function */
	static const u8 outside[] = { 0x5b, 0xeb, 0x7f, 0x90, 0x90 };
	/* a jump out of the function without a pop */
	static const u8 jump[] = { 0x90, 0xeb, 0x7f, 0x90, 0x90 };
	/* mov $0xc35d, %eax */
	static const u8 operand[] = { 0xb8, 0x5d, 0xc3, 0, 0, 0x90 };

	(void)state;
	make_aot("__managedcode", BODY, call, sizeof(call));
	expect_at(BODY + 2, 64, -16);
	expect_at(BODY + 3, 16, -16);
	expect_at(BODY + 4, 8, 0);
	make_aot("__managedcode", BODY, inside, sizeof(inside));
	expect_at(BODY, 64, -16);
	make_aot("__managedcode", BODY, outside, sizeof(outside));
	expect_at(BODY, 16, 0);
	expect_at(BODY + 1, 8, 0);
	make_aot("__managedcode", BODY, jump, sizeof(jump));
	expect_at(BODY + 1, 64, -16);
	make_aot("__managedcode", BODY, operand, sizeof(operand));
	expect_at(BODY + 1, 64, -16);
	expect_at(BODY + 2, 64, -16);
	make_aot(".text", BODY, once, sizeof(once));
	for (u32 i = 0; i < sizeof(once); i++)
		expect_at(BODY + i, 64, -16);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(native_aot_epilogue_is_decoded_backwards_from_the_last_instruction),
	cmocka_unit_test(code_that_only_resembles_an_epilogue_keeps_the_rows_of_the_fde),
	cmocka_unit_test(hijack_trampoline_is_not_unwound_like_a_called_function),
};

int main(void)
{
	return CHECK_RUN(tests);
}
