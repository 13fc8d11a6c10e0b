/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a Go program's linker leaves in it for the runtime's own tracebacks, also when
 * it is stripped: the table of functions ("pclntab"), and for each function tables
 * from a pc to how far sp has moved, to a file, to a line and to what is inlined there.
 *
 *	header       magic; how many functions; where the parts are
 *	names        of functions, 0 behind each
 *	units        numbers of files by compilation unit
 *	files        names
 *	values       tables from pc to a number, in differences
 *	functions    (start, where its record is), sorted; the records
 *
 * go/src/runtime/symtab.go and go/src/cmd/link/internal/ld/pcln.go at go1.16 (magic
 * 0xfffffffa), go1.18 (0xfffffff0), go1.20 (0xfffffff1) and go1.26 (the same magic, but
 * the header does not say where the code starts). Older ones are not known here.
 *
 * The file is hostile: nothing is held of it, everything is read where it is needed,
 * within the segment that the table is in.
 */

#include "../elf/elf_file.h"

struct go_table;

struct go_function {
	u64 start, end; /* link-time addresses; the padding behind it is in */
	u64 name_addr;
	u32 sp, file, line; /* where its tables of these values begin; 0: none */
	u32 unit;
	u32 n_values, n_data;
	u64 more_addr; /* u32s: where other tables of values begin, then n_data offsets of data */
	u8 flags; /* GO_* */
};

#define GO_IS_TOP 1 /* nobody called it: FuncFlagTopFrame */
#define GO_SETS_SP 2 /* to where no table says: FuncFlagSPWrite */

/**
 * go_table_open() - find the table of a Go program
 * @t:		the new object, free with go_table_free()
 * @f:		must outlive @t
 *
 * Return: 0, -ENOENT (no Go program, or of an unknown version), -ENOMEM or what
 * reading gave.
 */
int go_table_open(struct go_table **t, const struct elf_file *f);
void go_table_free(struct go_table **t);

/* The file that it is in; borrowed. */
const struct elf_file *go_table_elf(const struct go_table *t);

/* Do functions tell flags? Before go1.17 none does. */
bool go_table_has_flags(const struct go_table *t);

/* How many functions there are. */
u32 go_table_count(const struct go_table *t);

/* One by its number. 0, -ENOEXEC (broken) or what reading gave. */
int go_table_function(const struct go_table *t, u32 i, struct go_function *fn);

/* The last that starts at or before an address. 0, -ENOENT, -ENOEXEC or what reading gave. */
int go_table_find(const struct go_table *t, u64 addr, u32 *i, struct go_function *fn);

/*
 * A text of the table as far as it fits, at least one byte of room. -ENOENT: it is empty; or what
 * reading gave.
 */
int go_table_text(const struct go_table *t, u64 addr, char *text, size_t len);

/* The values that a function's code has, in order. */
struct go_values {
	const struct go_table *table;
	u64 at; /* what is read next */
	u64 start, end; /* the code that... */
	s32 value; /* ...has this */
	u32 pos, len; /* of bytes */
	u8 bytes[128];
};

/* @table: one of those that a function names. */
void go_values_begin(struct go_values *v, const struct go_table *t, const struct go_function *fn,
		     u32 table);

/* 0, -ENOENT (no more), -ENOEXEC (broken) or what reading gave. */
int go_values_next(struct go_values *v);

/* The value at an address; as go_values_next(). */
int go_table_value(const struct go_table *t, const struct go_function *fn, u32 table, u64 addr,
		   s32 *value);

/* The file that a function's table of files means by a number. Errors as go_table_text(). */
int go_table_file(const struct go_table *t, const struct go_function *fn, s32 number, char *text,
		  size_t len);

/* A call that was inlined. */
struct go_inlined {
	u64 name_addr;
	u64 call_addr; /* of an instruction of the call */
};

/* One by the number that go_table_inlining()'s table tells for a pc. 0, -ENOENT or what reading
 * gave. */
int go_table_inlined(const struct go_table *t, const struct go_function *fn, s32 number,
		     struct go_inlined *call);

/* The table of what is inlined where; 0: nothing is. */
u32 go_table_inlining(const struct go_table *t, const struct go_function *fn);
