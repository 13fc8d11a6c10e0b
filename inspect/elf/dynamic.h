/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/**
 * dynamic_each_symbol() - the dynamic symbols of a file without section headers
 * @fn:		as of elf_file_each_symbol(); names are cut at 255 bytes
 *
 * They are found as the dynamic linker finds them: by PT_DYNAMIC, and their number
 * by the hash table.
 *
 * Return: what @fn returned last, 0 (also when there are none), -ENOEXEC, or what reading gave.
 */
int dynamic_each_symbol(struct elf_file *f, int (*fn)(const struct elf_symbol *s, void *data),
			void *data);
