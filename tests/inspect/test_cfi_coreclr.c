// SPDX-License-Identifier: BSD-2-Clause

/* Rows of code that describes itself wrongly, and is known by its bytes. */

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
 * OnHijackTripThread of .NET 8, described as if it had been called: a word more than is there. @at:
 * from the start of the code, in which page boundaries lie.
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

static void what_hijacked_threads_return_to_was_not_called(void **state)
{
	(void)state;
	make_hijack(0x40, 0x50, 0);
	expect(0x30, 0x3f, UW_CFA_SP, 120);
	expect(0x3f, 0x40 + 21, UW_CFA_NONE, 0);
	expect(0x40 + 21, 0x40 + 53, UW_CFA_SP, 40 + 9 * 8);
	expect(0x40 + 53, 0x40 + 54, UW_CFA_SP, 9 * 8); /* pop rax */
	expect(0x40 + 54, 0x40 + 55, UW_CFA_SP, 8 * 8); /* pop rdx */
	expect(0x40 + 55, 0x40 + 57, UW_CFA_SP, 7 * 8); /* pop r12 */
	expect(0x40 + 64, 0x40 + 65, UW_CFA_SP, 2 * 8); /* pop rbp */
	expect(0x40 + 65, 0x40 + 66, UW_CFA_SP, 8); /* ret */
	for (u32 before = 1; before < 66; before++) { /* over the end of a page */
		make_hijack(0x1000 - before, 0x50, 1);
		if (before < 64)
			expect(64 - before, 65 - before, UW_CFA_SP, 2 * 8);
		expect(65 - before, 66 - before, UW_CFA_SP, 8);
	}
	make_hijack(0x40, 0x51, 0); /* another function */
	expect(0x30, 0x40 + 66, UW_CFA_SP, 120);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_hijacked_threads_return_to_was_not_called),
};

int main(void)
{
	return CHECK_RUN(tests);
}
