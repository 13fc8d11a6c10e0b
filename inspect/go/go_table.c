/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A table of values is a list of pairs of numbers. A number is stored in groups of 7 bits, the
 * least significant group first; bit 7 of a byte is set if another byte follows. The first number
 * of a pair is the change of the value, (v << 1) or ~(v << 1), from -1 at the function's start; the
 * second is the number of instructions that have the value. A pair that starts with 0 ends the
 * table, unless the pair is the first.
 */

#include "go_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "go_layout.h"

/* The u32s of a function's record, from its name to the number of tables. */
enum { NAME, ARGS, DEFER, SP, FILE_, LINE, N_VALUES, UNIT, N_FIELDS };
#define TABLE_OF_INLINING 2 /* index of a function's table of values, PCDATA_InlTreeIndex */
#define DATA_OF_INLINING 3 /* FUNCDATA_InlTree */
#define NO_OFFSET (~0u) /* stored instead of an offset: the function has none */
#define MAX_VALUES 64 /* tables of values per function; Go 1.26 has 5, and 9 tables of data */

int go_table_open(struct go_table **table, const struct elf_file *f)
{
	_cleanup_(go_table_free) struct go_table *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->file = f;
	err = go_find(t);
	if (!err)
		*table = TAKE_PTR(t);
	return err;
}

void go_table_free(struct go_table **t)
{
	free(TAKE_PTR(*t));
}

const struct elf_file *go_table_elf(const struct go_table *t)
{
	return t->file;
}

bool go_table_has_flags(const struct go_table *t)
{
	return t->version != GO_1_16; /* a table of go1.17 has the same format as one of go1.16 */
}

u32 go_table_count(const struct go_table *t)
{
	return t->n;
}

/* Reads bytes of the table at a link-time address. */
static int read_at(const struct go_table *t, u64 addr, void *dst, size_t len)
{
	if (addr < t->addr || addr >= t->end || len > t->end - addr)
		return -ENOEXEC;
	return elf_file_read_addr(t->file, addr, dst, len);
}

struct place {
	u64 start, record; /* addresses of the function and of its record */
	u64 next; /* start of the next function */
};

static int read_place(const struct go_table *t, u32 i, struct place *p)
{
	u64 wide[3];
	u32 words[3];
	int err;

	if (t->version == GO_1_16) {
		err = read_at(t, t->functions + 16ull * i, wide, sizeof(wide));
		*p = (struct place){ wide[0], wide[1], wide[2] };
		return err;
	}
	err = read_at(t, t->functions + 8ull * i, words, sizeof(words));
	*p = (struct place){ t->text + words[0], words[1], t->text + words[2] };
	return err;
}

/* Decodes a start line, a signed number; compiler-generated code has none. */
static u32 start_line(u32 field)
{
	return field <= INT32_MAX ? field : 0;
}

int go_table_function(const struct go_table *t, u32 i, struct go_function *fn)
{
	u64 at = t->version == GO_1_16 ? 8 : 4; /* skip a copy of the function's start */
	/* since go1.20 the start line comes before the id, the flags and the number of data */
	u32 last = N_FIELDS + (t->version == GO_1_20);
	u32 fields[N_FIELDS + 2];
	struct place p;
	int err = i < t->n ? read_place(t, i, &p) : -ENOEXEC;

	if (!err && (p.start >= p.next || p.next - p.start > 1u << 30 || p.record > 1ull << 32))
		err = -ENOEXEC;
	if (!err)
		err = read_at(t, t->functions + p.record + at, fields, 4 * (last + 1));
	if (err || fields[N_VALUES] > MAX_VALUES)
		return err ? err : -ENOEXEC;
	*fn = (struct go_function){
		.start = p.start,
		.end = p.next,
		.name_addr = t->names + fields[NAME],
		.sp = fields[SP],
		.file = fields[FILE_],
		.line = fields[LINE],
		.unit = fields[UNIT],
		.start_line = t->version == GO_1_20 ? start_line(fields[N_FIELDS]) : 0,
		.n_values = fields[N_VALUES],
		.n_data = fields[last] >> 24,
		.more_addr = t->functions + p.record + at + 4 * (last + 1),
		.flags = (u8)(fields[last] >> 8),
	};
	return 0;
}

int go_table_find(const struct go_table *t, u64 addr, u32 *i, struct go_function *fn)
{
	u32 low = 0, high = t->n;
	struct place p;
	int err;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		err = read_place(t, middle, &p);
		if (err)
			return err;
		if (p.start <= addr)
			low = middle;
		else
			high = middle;
	}
	err = go_table_function(t, low, fn);
	if (!err && fn->start > addr)
		err = -ENOENT;
	if (!err)
		*i = low;
	return err;
}

int go_table_text(const struct go_table *t, u64 addr, char *text, size_t len)
{
	size_t n = len - 1;
	int err;

	if (addr >= t->end)
		return -ENOEXEC;
	if (n > t->end - addr)
		n = t->end - addr;
	err = read_at(t, addr, text, n);
	text[err ? 0 : n] = 0;
	return err ? err : text[0] ? 0 : -ENOENT;
}

void go_values_begin(struct go_values *v, const struct go_table *t, const struct go_function *fn,
		     u32 table)
{
	*v = (struct go_values){ .table = t,
				 .at = t->values + table,
				 .start = fn->start,
				 .end = fn->start,
				 .value = -1 };
	if (!table) /* offset 0 means that there is no table */
		v->table = NULL;
}

static int take_byte(struct go_values *v, u8 *byte)
{
	const struct go_table *t = v->table;
	u64 left = v->at < t->end ? t->end - v->at : 0;
	int err;

	if (v->pos == v->len) {
		v->pos = 0;
		v->len = left < sizeof(v->bytes) ? (u32)left : sizeof(v->bytes);
		err = v->len ? read_at(t, v->at, v->bytes, v->len) : -ENOEXEC;
		if (err) {
			v->len = 0;
			return err;
		}
		v->at += v->len;
	}
	*byte = v->bytes[v->pos++];
	return 0;
}

static int take_number(struct go_values *v, u32 *number)
{
	u8 byte = 0x80;
	int err = 0;

	*number = 0;
	for (u32 shift = 0; !err && byte & 0x80; shift += 7) {
		err = shift > 28 ? -ENOEXEC : take_byte(v, &byte);
		if (!err)
			*number |= (u32)(byte & 0x7f) << shift;
	}
	return err;
}

int go_values_next(struct go_values *v)
{
	bool is_first = v->start == v->end;
	u32 change, n;
	int err;

	if (!v->table)
		return -ENOENT;
	err = take_number(v, &change);
	if (!err && !change && !is_first)
		return -ENOENT;
	if (!err)
		err = take_number(v, &n);
	if (!err && !n)
		err = -ENOEXEC;
	if (err)
		return err;
	v->value = (s32)((u32)v->value + (change & 1 ? ~(change >> 1) : change >> 1));
	v->start = v->end;
	v->end += (u64)n * v->table->quantum;
	return 0;
}

int go_table_value(const struct go_table *t, const struct go_function *fn, u32 table, u64 addr,
		   s32 *value)
{
	struct go_values v;
	int err;

	if (addr < fn->start)
		return -ENOENT;
	go_values_begin(&v, t, fn, table);
	do
		err = go_values_next(&v);
	while (!err && v.end <= addr && v.end <= fn->end);
	if (!err && v.end <= addr)
		err = -ENOENT;
	if (!err)
		*value = v.value;
	return err;
}

int go_table_file(const struct go_table *t, const struct go_function *fn, s32 number, char *text,
		  size_t len)
{
	u32 off;
	int err;

	if (number < 0)
		return -ENOENT;
	err = read_at(t, t->units + 4 * ((u64)fn->unit + (u32)number), &off, sizeof(off));
	if (!err && off == NO_OFFSET)
		err = -ENOENT;
	return err ? err : go_table_text(t, t->files + off, text, len);
}

u32 go_table_inlining(const struct go_table *t, const struct go_function *fn)
{
	u32 table;

	if (!t->data || fn->n_values <= TABLE_OF_INLINING || fn->n_data <= DATA_OF_INLINING ||
	    read_at(t, fn->more_addr + 4 * TABLE_OF_INLINING, &table, sizeof(table)))
		return 0;
	return table;
}

int go_table_inlined(const struct go_table *t, const struct go_function *fn, s32 number,
		     struct go_inlined *call)
{
	/* Go 1.18 stores file and line of the call before the name. */
	u64 len = t->version == GO_1_20 ? 16 : 20, skip = t->version == GO_1_20 ? 4 : 12;
	u32 off, words[3]; /* name, offset of the call, from go1.20 on the line of the start */
	int err;

	if (number < 0)
		return -ENOENT;
	err = read_at(t, fn->more_addr + 4 * ((u64)fn->n_values + DATA_OF_INLINING), &off,
		      sizeof(off));
	if (!err && off == NO_OFFSET)
		err = -ENOENT;
	if (!err)
		err = elf_file_read_addr(t->file, t->data + off + (u32)number * len + skip, words,
					 t->version == GO_1_20 ? 12 : 8);
	if (!err && words[1] >= fn->end - fn->start)
		err = -ENOEXEC;
	if (!err)
		*call = (struct go_inlined){ t->names + words[0], fn->start + words[1],
					     t->version == GO_1_20 ? start_line(words[2]) : 0 };
	return err;
}
