/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the source lines and inlined calls of an address in a file's DWARF.
 *
 * libdw parses the DWARF. libdw reads each debug section into memory as a whole, keeps every line
 * table in use, trusts much of its input, and cannot be interrupted. Therefore check the size
 * first, and read untrusted files in a process that may be killed (loader/symbols/helper.h).
 */

#include "../elf/elf_file.h"

struct lines;

struct lines_frame {
	const char *name; /* mangled; NULL: unknown */
	const char *file; /* NULL: unknown */
	u32 line, column; /* from 1; 0: unknown */
	u32 start_line; /* line where the function is defined, in the same file; 0: unknown */
	bool inlined; /* the function is inlined into the next frame */
};

/*
 * Limit of inlined functions at an address. If there are more inlined functions, none is reported.
 */
#define LINES_MAX_DEPTH 128

/* Whether the file has the DWARF sections for lines. */
bool lines_in(struct elf_file *f);

/**
 * lines_new() - prepare a file for line lookups
 * @l:		new object, free with lines_free() before the file
 * @f:		a binary or the debug file of one
 * @alt:	the file named by @f's .gnu_debugaltlink; must outlive @l; NULL: none
 * @max_len:	limit for the decompressed length of the debug sections
 *
 * Return: 0, -ENOENT (no DWARF), -EFBIG, -EXDEV (the file needs @alt),
 * -ENOEXEC, -ENOMEM.
 */
int lines_new(struct lines **l, struct elf_file *f, struct elf_file *alt, u64 max_len);
void lines_free(struct lines **l);

/* The decompressed length of all debug sections. */
u64 lines_len(struct elf_file *f);

/* Receives a frame, whose strings are valid during the call; a non-zero return ends the list. */
typedef int lines_fn(const struct lines_frame *f, void *data);

/**
 * lines_lookup() - find the function at an address and the calls inlined there
 * @addr:	link-time address; for a return address, subtract one
 * @fn:		called for each function, innermost first; the last function is not inlined
 *
 * Return: the last result of @fn, or 0, -ENOENT (no unit covers the address), -E2BIG (deeper than
 * LINES_MAX_DEPTH), -ENOEXEC, -ENOMEM.
 */
int lines_lookup(struct lines *l, u64 addr, lines_fn *fn, void *data);

/* As demangle(), for the name of a function at @addr. */
void lines_demangle(const struct lines *l, u64 addr, const char *mangled, char *dst, size_t len);
