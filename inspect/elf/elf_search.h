/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds string constants of a program without a symbol. */

#include "elf_file.h"

/* Number of bytes before the mark that @fn may also read. */
#define ELF_SEARCH_BEFORE 64

/**
 * elf_file_search() - search the loaded parts of a file for a text
 * @mark:	the beginning of the text, or the bytes before it
 * @len:	bytes of interest after @mark, at most 4096
 * @fn:		called for each match with the bytes after @mark, which can be fewer or more than
 *		@len; -ENOENT continues the search, anything else ends it. The mark and
 *		ELF_SEARCH_BEFORE bytes precede @text; bytes before the segment are zeros
 *
 * Searches read-only data first, then code, because some programs are linked with their constants
 * and code in one segment. Reads at most 256 MiB.
 *
 * Return: the last result of @fn, -ENOENT or -ENOMEM.
 */
int elf_file_search(const struct elf_file *f, const char *mark, size_t len,
		    int (*fn)(const char *text, size_t n, void *data), void *data);
