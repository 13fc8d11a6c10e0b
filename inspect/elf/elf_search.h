/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Texts that a program keeps as constants, found without a symbol. */

#include "elf_file.h"

/* Bytes before the mark that may be looked at, too. */
#define ELF_SEARCH_BEFORE 64

/**
 * elf_file_search() - look for a text in the loaded parts of a file
 * @mark:	what the text begins with, or what precedes it
 * @len:	bytes of interest after @mark, at most 4096
 * @fn:		called for each place with what follows @mark: up to @len bytes, or more;
 *		-ENOENT: go on, anything else ends the search. The mark and ELF_SEARCH_BEFORE
 *		bytes precede it; zeros where the segment begins
 *
 * Read-only data first, then code: some programs are linked with their constants beside
 * the code, in one segment. Looks at no more than 256 MiB.
 *
 * Return: what @fn returned last, -ENOENT or -ENOMEM.
 */
int elf_file_search(const struct elf_file *f, const char *mark, size_t len,
		    int (*fn)(const char *text, size_t n, void *data), void *data);
