/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cfi_code.h"
#include "../elf/elf_file.h"

/* Code of .NET NativeAOT for x86-64, link-time addresses; both 0: the file has none. */
void cfi_epilogue_code(struct elf_file *f, u64 *start, u64 *end);

/**
 * cfi_epilogues() - the rules of a function's last instructions, which its entry leaves out
 * @c:		code of a page, and whom to tell
 * @start, @end: of the function
 * @to:		where the page ends
 * @work:	instructions that may be taken apart, counted down
 *
 * Return: 0, -E2BIG (the page is too far into the function), -ENOMEM or what reading gave.
 */
int cfi_epilogues(const struct cfi_code *c, struct elf_file *f, u64 start, u64 end, u64 to,
		  u32 *work);
