// SPDX-License-Identifier: BSD-2-Clause

/* DWARF 4 (dwarfstd.org), the subset for functions and lines. */

#include "jd_dwarf.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 4
#define OPCODE_BASE 13

struct file_number {
	const char *name;
	u32 number; /* file number, from 1 */
};

struct making {
	struct jd_dwarf *d;
	const struct jdr_header *h;
	u8 addr_len;
	void *files; /* search.h's tree */
	struct jdw_buf file_table;
	u32 n_files;
};

static void put_u8(struct jdw_buf *b, u8 v)
{
	jdw_put(b, &v, 1);
}

static void put_u16(struct jdw_buf *b, u16 v)
{
	u8 bytes[2] = { (u8)v, (u8)(v >> 8) }, swapped[2] = { (u8)(v >> 8), (u8)v };
	const u16 one = 1;
	bool is_little = *(const u8 *)&one != b->is_swapped;

	jdw_put(b, is_little ? bytes : swapped, 2);
}

static void put_uleb(struct jdw_buf *b, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		put_u8(b, (u8)(v | 0x80));
	put_u8(b, (u8)v);
}

static void put_sleb(struct jdw_buf *b, s64 v)
{
	for (; v >= 64 || v < -64; v >>= 7)
		put_u8(b, (u8)(v | 0x80));
	put_u8(b, (u8)v & 0x7f);
}

static void put_text(struct jdw_buf *b, const char *s)
{
	jdw_put(b, s, strlen(s) + 1);
}

static void put_addr(const struct making *m, struct jdw_buf *b, u64 addr)
{
	if (m->addr_len == 8)
		jdw_put_u64(b, addr);
	else
		jdw_put_u32(b, (u32)addr);
}

/* Fills in a four-byte length once its contents are complete. */
static void close_length(struct jdw_buf *b, size_t at)
{
	if (!b->no_memory)
		jdw_patch_u32(b, at, (u32)(b->len - at - 4));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file_number *)a)->name, ((const struct file_number *)b)->name);
}

/* Returns the number of a file, which is added if it is new; 0 if out of memory. */
static u32 number_of(struct making *m, const char *name)
{
	struct file_number key = { .name = name }, *own, **node = tfind(&key, &m->files, by_name);

	if (node)
		return (*node)->number;
	own = malloc(sizeof(*own));
	if (!own)
		return 0;
	*own = (struct file_number){ name, m->n_files + 1 };
	if (!tsearch(own, &m->files, by_name)) {
		free(own);
		return 0;
	}
	m->n_files++;
	put_text(&m->file_table, name);
	put_uleb(&m->file_table, 0); /* directory, time, size */
	put_uleb(&m->file_table, 0);
	put_uleb(&m->file_table, 0);
	return own->number;
}

static void begin_sequence(struct making *m, struct jdw_buf *b, u64 addr)
{
	put_u8(b, 0);
	put_uleb(b, 1u + m->addr_len);
	put_u8(b, DW_LNE_set_address);
	put_addr(m, b, addr);
}

static int put_lines(struct making *m, const struct jd_function *f, struct jdw_buf *b)
{
	u64 code_end = f->addr + f->load.load.code_len, shift = f->addr - f->load.load.addr,
	    at = f->addr;
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;
	s64 line = 1;

	begin_sequence(m, b, f->addr);
	while (jdr_entry(m->h, &f->debug, &c, &e) > 0) {
		u32 file = number_of(m, e.file);

		if (!file)
			return -ENOMEM;
		if (!e.line || e.addr + shift >= code_end)
			continue;
		put_u8(b, DW_LNS_advance_pc);
		put_uleb(b, e.addr + shift - at);
		put_u8(b, DW_LNS_set_file);
		put_uleb(b, file);
		put_u8(b, DW_LNS_set_column);
		put_uleb(b, e.column);
		put_u8(b, DW_LNS_advance_line);
		put_sleb(b, (s64)e.line - line);
		put_u8(b, DW_LNS_copy);
		at = e.addr + shift;
		line = e.line;
	}
	put_u8(b, DW_LNS_advance_pc);
	put_uleb(b, code_end - at);
	put_u8(b, 0);
	put_uleb(b, 1);
	put_u8(b, DW_LNE_end_sequence);
	return 0;
}

/*
 * Makes the lines first and then the header, because the header lists the files, which are known
 * only after all lines are made.
 */
static int make_line(struct making *m, const struct jd_function *all, size_t n)
{
	static const u8 lengths[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct jdw_buf program = { .is_swapped = m->h->is_swapped }, *b = &m->d->line;
	size_t header;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (all[i].debug.bytes)
			err = put_lines(m, &all[i], &program);
	jdw_put_u32(b, 0);
	put_u16(b, VERSION);
	header = b->len;
	jdw_put_u32(b, 0);
	put_u8(b, 1); /* minimum length of an instruction */
	put_u8(b, 1); /* operations per instruction */
	put_u8(b, 1); /* default of is_stmt */
	put_u8(b, (u8)-5); /* line base and range, unused */
	put_u8(b, 14);
	put_u8(b, OPCODE_BASE);
	jdw_put(b, lengths, sizeof(lengths));
	put_u8(b, 0); /* no directories: names are full paths */
	jdw_put(b, m->file_table.bytes, m->file_table.len);
	put_u8(b, 0);
	close_length(b, header);
	jdw_put(b, program.bytes, program.len);
	close_length(b, 0);
	err = program.no_memory || m->file_table.no_memory ? -ENOMEM : err;
	jdw_buf_deinit(&program);
	return err;
}

static void make_abbrev(struct jdw_buf *b)
{
	static const u8 abbrev[] = {
		1,
		DW_TAG_compile_unit,
		DW_CHILDREN_yes,
		DW_AT_producer,
		DW_FORM_string,
		DW_AT_stmt_list,
		DW_FORM_sec_offset,
		DW_AT_ranges,
		DW_FORM_sec_offset,
		DW_AT_low_pc,
		DW_FORM_addr,
		0,
		0,
		2,
		DW_TAG_subprogram,
		DW_CHILDREN_no,
		DW_AT_name,
		DW_FORM_string,
		DW_AT_low_pc,
		DW_FORM_addr,
		DW_AT_high_pc,
		DW_FORM_addr,
		0,
		0,
		0,
	};

	jdw_put(b, abbrev, sizeof(abbrev));
}

static void make_info(struct making *m, const struct jd_function *all, size_t n)
{
	struct jdw_buf *b = &m->d->info, *ranges = &m->d->ranges;

	jdw_put_u32(b, 0);
	put_u16(b, VERSION);
	jdw_put_u32(b, 0);
	put_u8(b, m->addr_len);
	put_uleb(b, 1);
	put_text(b, "unspool " UNSPOOL_VERSION);
	jdw_put_u32(b, 0);
	jdw_put_u32(b, 0);
	put_addr(m, b, 0);
	for (size_t i = 0; i < n; i++) {
		u64 end = all[i].addr + all[i].load.load.code_len;

		put_uleb(b, 2);
		put_text(b, all[i].load.load.name);
		put_addr(m, b, all[i].addr);
		put_addr(m, b, end);
		put_addr(m, ranges, all[i].addr);
		put_addr(m, ranges, end);
	}
	put_u8(b, 0);
	close_length(b, 0);
	put_addr(m, ranges, 0);
	put_addr(m, ranges, 0);
}

/* Makes .debug_aranges, because elfutils 0.188 finds no unit without it. */
static void make_aranges(struct making *m, const struct jd_function *all, size_t n)
{
	struct jdw_buf *b = &m->d->aranges;

	jdw_put_u32(b, 0);
	put_u16(b, 2); /* version */
	jdw_put_u32(b, 0); /* the unit */
	put_u8(b, m->addr_len);
	put_u8(b, 0); /* no segments */
	while (b->len % (2u * m->addr_len) && !b->no_memory)
		put_u8(b, 0);
	for (size_t i = 0; i < n; i++) {
		put_addr(m, b, all[i].addr);
		put_addr(m, b, all[i].load.load.code_len);
	}
	put_addr(m, b, 0);
	put_addr(m, b, 0);
	close_length(b, 0);
}

int jd_dwarf_make(struct jd_dwarf *d, const struct jdr_header *h,
		  const struct jd_function *functions, size_t n, u8 addr_len)
{
	struct making m = { .d = d, .h = h, .addr_len = addr_len };
	int err;

	d->abbrev.is_swapped = d->aranges.is_swapped = d->info.is_swapped = d->line.is_swapped =
		d->ranges.is_swapped = m.file_table.is_swapped = h->is_swapped;
	make_abbrev(&d->abbrev);
	make_info(&m, functions, n);
	make_aranges(&m, functions, n);
	err = make_line(&m, functions, n);
	tdestroy(m.files, free);
	jdw_buf_deinit(&m.file_table);
	if (d->abbrev.no_memory || d->aranges.no_memory || d->info.no_memory || d->line.no_memory ||
	    d->ranges.no_memory)
		return -ENOMEM;
	return err;
}

void jd_dwarf_deinit(struct jd_dwarf *d)
{
	jdw_buf_deinit(&d->abbrev);
	jdw_buf_deinit(&d->aranges);
	jdw_buf_deinit(&d->info);
	jdw_buf_deinit(&d->line);
	jdw_buf_deinit(&d->ranges);
}
