/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	root: "BSJB" u16 u16 u32 u32 version length, version, u16 flags, u16 number of
 *	      streams { u32 offset, u32 length, name, padded to 4 }
 *	#~:   u32 u8 u8 u8 heap widths, u8, u64 present tables, u64 sorted tables,
 *	      u32 rows of each present table, then the tables
 *
 * A row's length follows from the number of rows of other tables: a column that refers to one table
 * has 2 bytes if that table has fewer than 2^16 rows; a column that can refer to several tables
 * uses some bits as a tag. So the schemas of all tables up to the last table in use must be known.
 *
 * Metadata that is still under construction has a stream "#-" instead of "#~": the rows may be
 * unsorted, and other tables may have pointers to them. Such metadata is accepted if the rows are
 * sorted and there is no table of pointers. Source: ECMA-335 6th edition, II.22 and II.24.2;
 * portable PDB specification v1.0 (dotnet/runtime docs/design/specs/PortablePdb-Metadata.md).
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "metadata.h"
#include "metadata_number.h"

#define MAGIC 0x424a5342u
#define MAX_STREAMS 16
#define MAX_ROWS (1u << 24)
#define MAX_VERSION_LEN 256

/*
 * Types of columns: an integer of 2 or 4 bytes, an index of a heap, of a table, or of one of
 * several tables.
 */
enum {
	U16 = 1,
	U32,
	STR,
	GUID,
	BLOB,
	TYPE_DEF_OR_REF,
	HAS_CONSTANT,
	HAS_ATTRIBUTE,
	HAS_MARSHAL,
	HAS_SECURITY,
	MEMBER_REF_PARENT,
	HAS_SEMANTICS,
	METHOD_DEF_OR_REF,
	MEMBER_FORWARDED,
	IMPLEMENTATION,
	ATTRIBUTE_TYPE,
	RESOLUTION_SCOPE,
	TYPE_OR_METHOD_DEF,
};
#define ROW(table) (0x80 | (table))

/* ECMA-335 II.24.2.6: bits of the tag, possible tables. */
static const struct {
	u8 bits, n, tables[22];
} coded[] = {
	[TYPE_DEF_OR_REF] = { 2, 3, { 2, 1, 0x1b } },
	[HAS_CONSTANT] = { 2, 3, { 4, 8, 0x17 } },
	[HAS_ATTRIBUTE] = { 5, 22, { 6,	   4,	 1,    2,    8,	   9,	 0xa,  0,
				     0xe,  0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23,
				     0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b } },
	[HAS_MARSHAL] = { 1, 2, { 4, 8 } },
	[HAS_SECURITY] = { 2, 3, { 2, 6, 0x20 } },
	[MEMBER_REF_PARENT] = { 3, 5, { 2, 1, 0x1a, 6, 0x1b } },
	[HAS_SEMANTICS] = { 1, 2, { 0x14, 0x17 } },
	[METHOD_DEF_OR_REF] = { 1, 2, { 6, 0xa } },
	[MEMBER_FORWARDED] = { 1, 2, { 4, 6 } },
	[IMPLEMENTATION] = { 2, 3, { 0x26, 0x23, 0x27 } },
	[ATTRIBUTE_TYPE] = { 3, 2, { 6, 0xa } },
	[RESOLUTION_SCOPE] = { 2, 4, { 0, 0x1a, 0x23, 1 } },
	[TYPE_OR_METHOD_DEF] = { 1, 2, { 2, 6 } },
};

/*
 * The columns of each table (ECMA-335 II.22), in the order of table numbers; 0 ends a table's list.
 */
static const u8 schema[METADATA_TABLES][METADATA_COLUMNS] = {
	[0x00] = { U16, STR, GUID, GUID, GUID },
	[0x01] = { RESOLUTION_SCOPE, STR, STR },
	[0x02] = { U32, STR, STR, TYPE_DEF_OR_REF, ROW(4), ROW(6) },
	[0x03] = { ROW(4) },
	[0x04] = { U16, STR, BLOB },
	[0x05] = { ROW(6) },
	[0x06] = { U32, U16, U16, STR, BLOB, ROW(8) },
	[0x07] = { ROW(8) },
	[0x08] = { U16, U16, STR },
	[0x09] = { ROW(2), TYPE_DEF_OR_REF },
	[0x0a] = { MEMBER_REF_PARENT, STR, BLOB },
	[0x0b] = { U16, HAS_CONSTANT, BLOB },
	[0x0c] = { HAS_ATTRIBUTE, ATTRIBUTE_TYPE, BLOB },
	[0x0d] = { HAS_MARSHAL, BLOB },
	[0x0e] = { U16, HAS_SECURITY, BLOB },
	[0x0f] = { U16, U32, ROW(2) },
	[0x10] = { U32, ROW(4) },
	[0x11] = { BLOB },
	[0x12] = { ROW(2), ROW(0x14) },
	[0x13] = { ROW(0x14) },
	[0x14] = { U16, STR, TYPE_DEF_OR_REF },
	[0x15] = { ROW(2), ROW(0x17) },
	[0x16] = { ROW(0x17) },
	[0x17] = { U16, STR, BLOB },
	[0x18] = { U16, ROW(6), HAS_SEMANTICS },
	[0x19] = { ROW(2), METHOD_DEF_OR_REF, METHOD_DEF_OR_REF },
	[0x1a] = { STR },
	[0x1b] = { BLOB },
	[0x1c] = { U16, MEMBER_FORWARDED, STR, ROW(0x1a) },
	[0x1d] = { U32, ROW(4) },
	[0x1e] = { U32, U32 },
	[0x1f] = { U32 },
	[0x20] = { U32, U16, U16, U16, U16, U32, BLOB, STR, STR },
	[0x21] = { U32 },
	[0x22] = { U32, U32, U32 },
	[0x23] = { U16, U16, U16, U16, U32, BLOB, STR, STR, BLOB },
	[0x24] = { U32, ROW(0x23) },
	[0x25] = { U32, U32, U32, ROW(0x23) },
	[0x26] = { U32, STR, BLOB },
	[0x27] = { U32, U32, STR, STR, IMPLEMENTATION },
	[0x28] = { U32, U32, STR, IMPLEMENTATION },
	[0x29] = { ROW(2), ROW(2) },
	[0x2a] = { U16, U16, TYPE_OR_METHOD_DEF, STR },
	[0x2b] = { METHOD_DEF_OR_REF, BLOB },
	[0x2c] = { ROW(0x2a), TYPE_DEF_OR_REF },
	[0x30] = { BLOB, GUID, BLOB, GUID },
	[0x31] = { ROW(0x30), BLOB },
};

static u32 rows_for_width(const struct metadata *m, u32 table)
{
	return m->rows[table] ? m->rows[table] : m->shared_rows[table];
}

static u32 column_len(const struct metadata *m, u8 column)
{
	u32 most = 0;

	if (column & 0x80)
		return rows_for_width(m, column & 0x7f) < 1u << 16 ? 2 : 4;
	switch (column) {
	case U16:
		return 2;
	case U32:
		return 4;
	case STR:
	case GUID:
	case BLOB:
		return m->heap_widths >> (column - STR) & 1 ? 4 : 2;
	default:
		break;
	}
	for (u32 i = 0; i < coded[column].n; i++) {
		u32 rows = rows_for_width(m, coded[column].tables[i]);

		most = rows > most ? rows : most;
	}
	return most < 1u << (16 - coded[column].bits) ? 2 : 4;
}

static int read_within(const struct metadata *m, u64 off, void *dst, u32 len)
{
	if (off > m->len || len > m->len - off)
		return -ENOEXEC;
	return target_read(m->target, m->addr + off, dst, len);
}

/* Ignores tables after the last table that has a schema. */
static int lay_tables(struct metadata *m, u64 valid, u64 off)
{
	for (u32 i = 0; i < METADATA_TABLES; i++) {
		u64 len;

		if (!(valid >> i & 1))
			continue;
		if (!schema[i][0])
			break;
		for (u32 c = 0; c < METADATA_COLUMNS && schema[i][c]; c++)
			m->row_len[i] += column_len(m, schema[i][c]);
		len = (u64)m->rows[i] * m->row_len[i];
		if (off > m->len || len > m->len - off)
			return -ENOEXEC;
		m->table_addr[i] = m->addr + off;
		off += len;
	}
	return 0;
}

/* Reads the row counts of the assembly's tables, which are in the stream #Pdb of a PDB. */
static int read_pdb_rows(struct metadata *m)
{
	u8 head[32];
	u32 rows[METADATA_TABLES], n;
	u64 valid;

	if (!m->pdb.len)
		return 0;
	if (m->pdb.len < sizeof(head) || target_read(m->target, m->pdb.addr, head, sizeof(head)))
		return -ENOEXEC;
	memcpy(&valid, head + 24, 8);
	n = (u32)__builtin_popcountll(valid);
	if (m->pdb.len - sizeof(head) < 4 * n ||
	    target_read(m->target, m->pdb.addr + sizeof(head), rows, 4 * (size_t)n))
		return -ENOEXEC;
	n = 0;
	for (u32 i = 0; i < METADATA_TABLES; i++)
		if (valid >> i & 1)
			m->shared_rows[i] = rows[n++];
	return 0;
}

static int read_tables(struct metadata *m, u32 off, u32 len)
{
	u32 rows[METADATA_TABLES], n;
	u8 head[24];
	u64 valid;
	int err = len < sizeof(head) ? -ENOEXEC : read_within(m, off, head, sizeof(head));

	if (err)
		return err;
	m->heap_widths = head[6];
	memcpy(&valid, head + 8, 8);
	n = (u32)__builtin_popcountll(valid);
	err = read_within(m, (u64)off + sizeof(head), rows, 4 * n);
	if (err)
		return err;
	off += sizeof(head) + 4 * n;
	n = 0;
	for (u32 i = 0; i < METADATA_TABLES; i++) {
		if (!(valid >> i & 1))
			continue;
		m->rows[i] = rows[n++];
		if (m->rows[i] > MAX_ROWS)
			return -ENOEXEC;
	}
	/* If bit 6 is set, four more bytes precede the tables (edit and continue). */
	return lay_tables(m, valid, off + (head[6] & 0x40 ? 4u : 0));
}

struct streams {
	u32 tables_off, tables_len;
	bool is_uncompressed;
};

static int take_stream(struct metadata *m, const char *name, u32 off, u32 len, struct streams *s)
{
	struct metadata_heap heap = { m->addr + off, len };

	if (off > m->len || len > m->len - off)
		return -ENOEXEC;
	if (!strcmp(name, "#Strings")) {
		m->strings = heap;
	} else if (!strcmp(name, "#Blob")) {
		m->blobs = heap;
	} else if (!strcmp(name, "#GUID")) {
		m->guids = heap;
	} else if (!strcmp(name, "#Pdb")) {
		m->pdb = heap;
	} else if (!strcmp(name, "#~") || !strcmp(name, "#-")) {
		s->tables_off = off;
		s->tables_len = len;
		s->is_uncompressed = name[1] == '-';
	}
	return 0;
}

static bool is_in_order(const struct metadata *m)
{
	return !m->rows[METADATA_FIELD_PTR] && !m->rows[METADATA_METHOD_PTR] &&
	       !m->rows[METADATA_PARAM_PTR] && m->rows[METADATA_NESTED_CLASS] <= 1 &&
	       m->rows[METADATA_GENERIC_PARAM] <= 1;
}

/* Reads one stream header { u32 offset, u32 length, name }, and moves *pos to the end of it. */
static int read_stream(struct metadata *m, u64 *pos, struct streams *s)
{
	char name[32 + 1] = "";
	u32 place[2];
	int err = read_within(m, *pos, place, sizeof(place));

	*pos += sizeof(place);
	for (u32 i = 0; !err && i < sizeof(name) - 1; i += 4) {
		err = read_within(m, *pos, name + i, 4);
		*pos += 4;
		if (memchr(name + i, 0, 4))
			return err ? err : take_stream(m, name, place[0], place[1], s);
	}
	return err ? err : -ENOEXEC;
}

int metadata_init(struct metadata *out, struct target *t, u64 addr, u32 len)
{
	struct metadata m = { .target = t, .addr = addr, .len = len };
	struct streams s = {};
	u32 head[4];
	u16 counts[2];
	u64 pos;
	int err = addr > UINT64_MAX - len ? -ENOEXEC : read_within(&m, 0, head, sizeof(head));

	if (err)
		return err;
	if (head[0] != MAGIC || head[3] > MAX_VERSION_LEN)
		return -ENOEXEC;
	pos = sizeof(head) + ((head[3] + 3) & ~3u);
	err = read_within(&m, pos, counts, sizeof(counts));
	pos += sizeof(counts);
	if (!err && counts[1] > MAX_STREAMS)
		return -ENOEXEC;
	for (u32 i = 0; !err && i < counts[1]; i++)
		err = read_stream(&m, &pos, &s);
	if (!err)
		err = read_pdb_rows(&m);
	if (!err)
		err = read_tables(&m, s.tables_off, s.tables_len);
	if (!err && s.is_uncompressed && !is_in_order(&m))
		err = -ENOTSUP;
	if (!err)
		*out = m;
	return err;
}

int metadata_cell(const struct metadata *m, enum metadata_table table, u32 row, u32 column,
		  u32 *value)
{
	u32 bytes = 0;
	u64 addr;
	int err;

	if (!row || row > m->rows[table] || !m->table_addr[table])
		return -ENOENT;
	addr = m->table_addr[table] + (u64)(row - 1) * m->row_len[table];
	for (u32 c = 0; c < column; c++)
		addr += column_len(m, schema[table][c]);
	err = target_read(m->target, addr, &bytes, column_len(m, schema[table][column]));
	if (!err)
		*value = bytes;
	return err;
}

int metadata_string(const struct metadata *m, u32 idx, char *dst, size_t len)
{
	size_t n;

	if (idx >= m->strings.len)
		return -ENOENT;
	n = m->strings.len - idx < len ? m->strings.len - idx : len;
	for (size_t at = 0; at < n; at += 64) {
		size_t piece = n - at < 64 ? n - at : 64;
		int err = target_read(m->target, m->strings.addr + idx + at, dst + at, piece);

		if (err)
			return err;
		if (memchr(dst + at, 0, piece))
			return 0;
	}
	return -E2BIG;
}

int metadata_blob(const struct metadata *m, u32 idx, u64 *addr, u32 *len)
{
	u8 head[4] = {};
	u32 left, value;
	int n;

	if (idx >= m->blobs.len)
		return -ENOENT;
	left = m->blobs.len - idx;
	n = target_read(m->target, m->blobs.addr + idx, head, left < 4 ? left : 4);
	if (n)
		return n;
	n = metadata_uint(head, left < 4 ? left : 4, &value);
	if (n < 0 || value > left - (u32)n)
		return -ENOEXEC;
	*addr = m->blobs.addr + idx + (u32)n;
	*len = value;
	return 0;
}

int metadata_last_row(const struct metadata *m, enum metadata_table table, u32 column, u32 value,
		      u32 *row)
{
	u32 low = 1, high = m->rows[table] + 1;

	while (low < high) {
		u32 mid = low + (high - low) / 2, cell;
		int err = metadata_cell(m, table, mid, column, &cell);

		if (err)
			return err;
		if (cell <= value)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 1)
		return -ENOENT;
	*row = low - 1;
	return 0;
}
