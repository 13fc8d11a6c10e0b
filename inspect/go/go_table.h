/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * .gopclntab: the table that Go's linker writes for the runtime's own tracebacks, present even in
 * stripped programs. It lists the functions; each function has tables that map a pc to the offset
 * of sp, to a file, to a line and to the inlined call.
 *
 *	header       magic; number of functions; offsets of the parts
 *	names        of functions, NUL-terminated
 *	units        numbers of files by compilation unit
 *	files        names
 *	values       tables from pc to a number, as differences
 *	functions    (start, offset of its record), sorted; the records
 *
 * go/src/runtime/symtab.go and go/src/cmd/link/internal/ld/pcln.go at go1.16 (magic
 * 0xfffffffa), go1.18 (0xfffffff0), go1.20 (0xfffffff1) and go1.26 (the same magic, but
 * the header lacks the start of code). Older versions are not supported.
 *
 * The file may be hostile, so nothing is cached; each access reads the file, and only within the
 * segment that contains the table.
 */

#include "../elf/elf_file.h"

struct go_table;

struct go_function {
	u64 start, end; /* link-time addresses; end includes the padding after the function */
	u64 name_addr;
	u32 sp, file, line; /* offsets of the tables of values for sp, file and line; 0: none */
	u32 unit;
	u32 start_line; /* 0: not recorded, as before go1.20 */
	u32 n_values, n_data;
	u64 more_addr; /* address of u32s: offsets of the other tables of values, then n_data
			* offsets of data */
	u8 flags; /* GO_* */
};

#define GO_IS_TOP 1 /* the function has no caller: FuncFlagTopFrame */
#define GO_SETS_SP 2 /* the function sets sp to a value that is in no table: FuncFlagSPWrite */

/**
 * go_table_open() - find the table of a Go program
 * @t:		the new object, free with go_table_free()
 * @f:		must outlive @t
 *
 * Return: 0, -ENOENT (not Go, or an unknown version), -ENOMEM or the errno of
 * reading.
 */
int go_table_open(struct go_table **t, const struct elf_file *f);
void go_table_free(struct go_table **t);

/* The file that contains the table; borrowed. */
const struct elf_file *go_table_elf(const struct go_table *t);

/* Whether functions have flags; functions of Go before 1.17 have none. */
bool go_table_has_flags(const struct go_table *t);

/* The number of functions. */
u32 go_table_count(const struct go_table *t);

/* Reads a function by its number. Return: 0, -ENOEXEC (broken) or the errno of reading. */
int go_table_function(const struct go_table *t, u32 i, struct go_function *fn);

/*
 * Finds the last function that starts at or before an address. Return: 0, -ENOENT, -ENOEXEC or the
 * errno of reading.
 */
int go_table_find(const struct go_table *t, u64 addr, u32 *i, struct go_function *fn);

/*
 * Reads a string of the table, truncated to @len - 1 bytes. Return: 0, -ENOENT if the string is
 * empty, or the errno of reading.
 */
int go_table_text(const struct go_table *t, u64 addr, char *text, size_t len);

/* Iterates over the values of a function's code, in order. */
struct go_values {
	const struct go_table *table;
	u64 at; /* the next byte to read */
	u64 start, end; /* the range of code that has the value */
	s32 value; /* the current value */
	u32 pos, len; /* position in bytes, and length of the loaded bytes */
	u8 bytes[128];
};

/* Starts an iteration. @table is the offset of one of @fn's tables of values. */
void go_values_begin(struct go_values *v, const struct go_table *t, const struct go_function *fn,
		     u32 table);

/*
 * Reads the next value into @v. Return: 0, -ENOENT after the last value, -ENOEXEC if the table is
 * corrupt, or the errno of reading.
 */
int go_values_next(struct go_values *v);

/* Finds the value at an address. Return: as go_values_next(). */
int go_table_value(const struct go_table *t, const struct go_function *fn, u32 table, u64 addr,
		   s32 *value);

/*
 * Reads the name of a file by its number in a function's table of files. Return: as
 * go_table_text().
 */
int go_table_file(const struct go_table *t, const struct go_function *fn, s32 number, char *text,
		  size_t len);

/* An inlined call. */
struct go_inlined {
	u64 name_addr;
	u64 call_addr; /* an instruction of the call */
	u32 start_line; /* start line of the callee; 0: not recorded, as before go1.20 */
};

/*
 * Reads a call by its number in the table of go_table_inlining(). Return: 0, -ENOENT or the errno
 * of reading.
 */
int go_table_inlined(const struct go_table *t, const struct go_function *fn, s32 number,
		     struct go_inlined *call);

/* The offset of the function's table of inlined calls; 0: none. */
u32 go_table_inlining(const struct go_table *t, const struct go_function *fn);
