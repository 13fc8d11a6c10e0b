/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/**
 * dynamic_each_symbol() - visit the dynamic symbols of a file without section headers
 * @fn:		as for elf_file_each_symbol(); names are truncated to 255 bytes
 *
 * Finds the symbols through PT_DYNAMIC, as the dynamic linker does. The number of symbols comes
 * from the hash table.
 *
 * Return: the last result of @fn, 0 (also when there are none), -ENOEXEC, or the errno of reading.
 */
int dynamic_each_symbol(struct elf_file *f, int (*fn)(const struct elf_symbol *s, void *data),
			void *data);
