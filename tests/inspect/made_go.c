/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Written from go/src/cmd/link/internal/ld/pcln.go and symtab.go at go1.16 to go1.26. This file has
 * its own constants and uses no definition of inspect/go/.
 */

#include <elf.h>
#include <string.h>

#include "../check.h"
#include "made_go.h"

/* Offsets of the parts from the start of the table. */
#define NAMES 0x80
#define UNITS 0x600
#define FILES 0x680
#define VALUES 0x800
#define FUNCTIONS 0xc00
#define RECORDS 0x400 /* offset from FUNCTIONS */
#define RECORD_LEN 0x60
#define DATA 0x2000
#define MODULE 0x2800
#define MODULE_WORDS 75

static void put(struct made_go *g, u32 off, u64 value, u32 len)
{
	made_put(&g->elf, MADE_GO_TABLE_OFF + off, value, len);
}

static u64 address(u32 off)
{
	return MADE_BASE + MADE_GO_TABLE_OFF + off;
}

static u32 text(struct made_go *g, u32 off, u32 *len, const char *s)
{
	u32 at = *len;

	for (u32 i = 0; i <= strlen(s); i++)
		put(g, off + at + i, (u8)s[i], 1);
	*len += (u32)strlen(s) + 1;
	return at;
}

void made_go_init(struct made_go *g, u16 machine, enum made_go_version version)
{
	*g = (struct made_go){ .version = version, .names_len = 1, .values_len = 1 };
	made_init(&g->elf, machine, 0);
}

struct made_go_record *made_go_function(struct made_go *g, const char *name, u32 start)
{
	struct made_go_record *r = &g->records[g->n++];

	assert_true(g->n <= sizeof(g->records) / sizeof(g->records[0]));
	*r = (struct made_go_record){ .start = start,
				      .name = text(g, NAMES, &g->names_len, name),
				      .data = ~0u };
	return r;
}

static void put_number(struct made_go *g, u32 n)
{
	for (; n > 0x7f; n >>= 7)
		put(g, VALUES + g->values_len++, (n & 0x7f) | 0x80, 1);
	put(g, VALUES + g->values_len++, n, 1);
}

u32 made_go_values(struct made_go *g, const struct made_go_value *list)
{
	u32 at = g->values_len, quantum = g->elf.machine == EM_AARCH64 ? 4 : 1;
	s32 before = -1;

	for (; list->len; list++) {
		s32 change = list->value - before;

		put_number(g, change < 0 ? ~((u32)change << 1) : (u32)change << 1);
		put_number(g, list->len / quantum);
		before = list->value;
	}
	put(g, VALUES + g->values_len++, 0, 1);
	return at;
}

s32 made_go_file(struct made_go *g, const char *name)
{
	u32 n = 0, at = g->files_len;

	for (u32 i = 0; i < at; i++)
		n += !g->elf.bytes[MADE_GO_TABLE_OFF + FILES + i];
	text(g, FILES, &g->files_len, name);
	put(g, UNITS + 4 * n, at, 4);
	return (s32)n;
}

void made_go_inlined(struct made_go *g, const char *name, u32 call_off)
{
	struct made_go_record *r = &g->records[g->n - 1];
	u32 old = g->version < MADE_GO_1_20 ? 8 : 0; /* length of parent, file and line */

	if (r->data == ~0u)
		r->data = g->data_len;
	put(g, DATA + g->data_len + 4 + old, text(g, NAMES, &g->names_len, name), 4);
	put(g, DATA + g->data_len + 8 + old, call_off, 4);
	if (!old)
		put(g, DATA + g->data_len + 12, 9, 4); /* first line */
	g->data_len += old ? 20 : 16;
}

void made_go_code(struct made_go *g, u32 off, const void *bytes, u32 len)
{
	memcpy(g->elf.bytes + MADE_CODE_OFF + off, bytes, len);
}

static void put_record(struct made_go *g, const struct made_go_record *r, u32 off)
{
	bool wide = g->version == MADE_GO_1_16;
	const u32 fields[] = { r->name, 0, 0, r->sp, r->file, r->line, 3, 0, 7 /* first line */ };
	u32 n = g->version < MADE_GO_1_20 ? 8 : 9;

	put(g, off, wide ? MADE_CODE + r->start : r->start, wide ? 8 : 4);
	off += wide ? 8 : 4;
	for (u32 i = 0; i < n; i++, off += 4)
		put(g, off, fields[i], 4);
	put(g, off, (u32)r->flags << 8 | 4u << 24, 4);
	put(g, off + 4 + 2 * 4, r->inlining, 4);
	put(g, off + 4 + (3 + 3) * 4, r->data, 4);
}

static void put_functions(struct made_go *g, u32 end)
{
	bool wide = g->version == MADE_GO_1_16;
	u32 len = wide ? 8 : 4;

	for (u32 i = 0; i <= g->n; i++) {
		u32 at = FUNCTIONS + 2 * len * i, start = i < g->n ? g->records[i].start : end;

		put(g, at, wide ? MADE_CODE + start : start, len);
		if (i == g->n)
			break;
		put(g, at + len, RECORDS + i * RECORD_LEN, len);
		put_record(g, &g->records[i], FUNCTIONS + RECORDS + i * RECORD_LEN);
	}
}

static void put_module(struct made_go *g)
{
	bool is_old = g->version < MADE_GO_1_20;

	put(g, MODULE, address(0), 8);
	put(g, MODULE + 8, address(NAMES), 8);
	put(g, MODULE + 32, address(UNITS), 8);
	put(g, MODULE + 160, MADE_CODE, 8);
	put(g, MODULE + 176, MADE_CODE, 8);
	put(g, MODULE + (is_old ? 304 : 320), address(DATA), 8);
	put(g, MODULE + 8 * MODULE_WORDS, 0, 8);
}

void made_go_finish(struct made_go *g, u32 end)
{
	static const u32 magics[] = { 0xfffffffa, 0xfffffff0, 0xfffffff1, 0xfffffff1 };
	u64 header[9] = { magics[g->version], g->n, 3 };
	u32 i = 3;

	header[0] |= (u64)(g->elf.machine == EM_AARCH64 ? 4 : 1) << 48 | 8ull << 56;
	if (g->version != MADE_GO_1_16)
		header[i++] = g->version == MADE_GO_1_26 ? 0 : MADE_CODE;
	header[i++] = NAMES;
	header[i++] = UNITS;
	header[i++] = FILES;
	header[i++] = VALUES;
	header[i++] = FUNCTIONS;
	for (u32 k = 0; k < i; k++)
		put(g, 8 * k, header[k], 8);
	put_functions(g, end);
	put_module(g);
	made_headers(&g->elf);
}
