/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Checks on the rows of a page of a hand-made file. Only one page is kept at a time. */

#include <elf.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../check.h"
#include "made_cfi.h"

static struct made_page page;

static void expect_sp(u32 from, u32 to, s32 cfa_off)
{
	for (u32 i = from; i < to; i++) {
		assert_int_equal(page.rule[i].cfa, UW_CFA_SP);
		assert_int_equal(page.rule[i].cfa_off, cfa_off);
		assert_int_equal(page.rule[i].ra, UW_SAVED_CFA);
		assert_int_equal(page.rule[i].ra_off, -8);
		assert_int_equal(page.rule[i].fp, UW_SAVED_SAME);
	}
}

static void expect_kind(u32 from, u32 to, enum uw_cfa cfa)
{
	for (u32 i = from; i < to; i++)
		assert_int_equal(page.rule[i].cfa, cfa);
}

/* Derives the rows of page @number of the code of @m, and frees @m. */
static void make_page(struct made_cfi *m, u32 number)
{
	_cleanup_close_ int fd = made_fd(m, m->len);

	assert_int_equal(made_page(fd, MADE_CODE_OFF + number * UW_ROW_PAGE_LEN, &page), 0);
}
