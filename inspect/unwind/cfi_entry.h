/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cfi_entries.h"

/**
 * cfi_entry_find() - the code where a program begins
 * @s:		its sections
 * @n:		how many
 * @start, @end: link-time addresses; both 0 when the file is no program
 *
 * Where the entry is described, that is its FDE. Else it ends where the next FDE
 * starts, if that is near, or with its first call or jump.
 */
void cfi_entry_find(struct elf_file *f, struct cfi_section *s, size_t n, u64 *start, u64 *end);
