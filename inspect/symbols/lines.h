/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From an address to source lines and inlined calls, by a file's DWARF.
 *
 * libdw does the reading. It reads each debug section as a whole into memory and keeps
 * the line tables that were asked for, it trusts much of what it reads, and it cannot
 * be stopped: so sizes are asked before, and who reads files that it must not trust
 * does that in a process that may be killed (loader/symbols/helper.h).
 */

#include "../elf/elf_file.h"

struct lines;

struct lines_frame {
	const char *name; /* mangled, as the compiler had it; NULL: unknown */
	const char *file; /* NULL: unknown */
	u32 line, column; /* from 1; 0: unknown */
	bool inlined; /* into the next frame */
};

/* More functions inlined into each other are not told: none of them is then. */
#define LINES_MAX_DEPTH 128

/* Does the file hold DWARF that lines could be made of? */
bool lines_in(struct elf_file *f);

/**
 * lines_new() - get ready for looking lines up
 * @l:		new object, free with lines_free() before the file
 * @f:		a binary or the debug file of one
 * @alt:	what its .gnu_debugaltlink names, must outlive it; NULL: none
 * @max_len:	refuse more bytes of debug sections than that, decompressed
 *
 * Return: 0, -ENOENT (no DWARF), -EFBIG, -EXDEV (it needs @alt),
 * -ENOEXEC, -ENOMEM.
 */
int lines_new(struct lines **l, struct elf_file *f, struct elf_file *alt, u64 max_len);
void lines_free(struct lines **l);

/* The length of all debug sections, decompressed. */
u64 lines_len(struct elf_file *f);

/* Gets a frame, whose strings are borrowed until it returns; non-zero ends the list. */
typedef int lines_fn(const struct lines_frame *f, void *data);

/**
 * lines_lookup() - the function at an address, and what is inlined there
 * @addr:	link-time address (of a return address: minus one)
 * @fn:		called for each, innermost first; the last one is not inlined
 *
 * Return: what @fn returned last, or 0, -ENOENT (nothing is known of the address),
 * -E2BIG (deeper than LINES_MAX_DEPTH), -ENOEXEC, -ENOMEM.
 */
int lines_lookup(struct lines *l, u64 addr, lines_fn *fn, void *data);
