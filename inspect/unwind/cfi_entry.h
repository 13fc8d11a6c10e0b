/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cfi_entries.h"

/**
 * cfi_entry_find() - find the code at a program's entry point
 * @s:		sections of call frame information of @f
 * @n:		number of sections
 * @start, @end: link-time addresses; both 0 when the file is not a program
 *
 * If an FDE covers the entry point, the code is the range of that FDE. If no FDE covers the entry
 * point, the code ends where the next FDE starts, or, if that FDE is not near, with the code's
 * first call or jump.
 */
void cfi_entry_find(struct elf_file *f, struct cfi_section *s, size_t n, u64 *start, u64 *end);
