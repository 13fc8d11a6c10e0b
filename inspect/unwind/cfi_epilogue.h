/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cfi_code.h"
#include "../elf/elf_file.h"

/*
 * Finds the code of .NET NativeAOT for x86-64, as link-time addresses. Sets both addresses to 0 if
 * the file has no such code.
 */
void cfi_epilogue_code(struct elf_file *f, u64 *start, u64 *end);

/**
 * cfi_epilogues() - report the rules of a function's epilogues, which its FDE lacks
 * @c:		code of a page, and the callback that receives the rules
 * @start, @end: range of the function
 * @to:		end of the page's code
 * @work:	limit of instructions to decode; counted down
 *
 * Return: 0, -E2BIG (the page is too far into the function), -ENOMEM or the errno of reading.
 */
int cfi_epilogues(const struct cfi_code *c, struct elf_file *f, u64 start, u64 end, u64 to,
		  u32 *work);
