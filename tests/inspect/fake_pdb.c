/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake_pdb.h"

#include <string.h>

/*
 * Sequence points: the signature of the locals, then for each point the deltas of IL offset, lines,
 * columns[, start line, start column].
 */
const u8 fake_points1[] = {
	0, /* no locals */
	0,    0,    1,		10,	5, /* IL 0: line 10 */
	4,    0,    3,		2 << 1, 2 << 1, /* IL 4: line 12 */
	6,    0,    0, /* IL 10: hidden */
	5,    1,    7 << 1 | 0, 8 << 1, 0, /* IL 15: line 20, two lines */
	0x80, 0x85, 0,		1,	0x7b,	0, /* IL 148: line 17, three lines back */
};
const u32 fake_points1_len = sizeof(fake_points1);
const u8 fake_points3[] = {
	0, 2, /* no locals; document 2 */
	0, 0, 1, 100,	 1, /* IL 0: line 100 of two.cs */
	0, 1, /* document 1 */
	8, 0, 1, 1 << 1, 0, /* IL 8: line 101 of one.cs */
};
const u32 fake_points3_len = sizeof(fake_points3);

struct writer {
	u8 *bytes;
	u32 len;
};

static void put(struct writer *w, u64 value, u32 n)
{
	memcpy(w->bytes + w->len, &value, n);
	w->len += n;
}

static u32 add_blob(struct writer *w, const void *bytes, u32 len)
{
	u32 at = w->len;

	put(w, len, 1);
	memcpy(w->bytes + w->len, bytes, len);
	w->len += len;
	return at;
}

/*
 * Adds a document name: the separator, then the blob of each part of the path. The first part of an
 * absolute path is empty.
 */
static u32 add_document(struct writer *blobs, u32 src, const char *file)
{
	u8 name[4] = { '/', 0, (u8)src, (u8)add_blob(blobs, file, (u32)strlen(file)) };

	return add_blob(blobs, name, sizeof(name));
}

static void put_stream(struct writer *w, u32 off, u32 len, const char *name, u32 name_len)
{
	put(w, off, 4);
	put(w, len, 4);
	memcpy(w->bytes + w->len, name, strlen(name));
	w->len += name_len;
}

void fake_pdb_make(struct fake_pdb *p, const u8 *points1, u32 len1, const u8 *points3, u32 len3)
{
	u8 blob_bytes[512] = "", table_bytes[256] = "";
	struct writer w = { p->bytes }, blobs = { blob_bytes, 1 }, tables = { table_bytes };
	u32 src = add_blob(&blobs, "src", 3), one = add_document(&blobs, src, "one.cs");
	u32 two = add_document(&blobs, src, "two.cs"), first = add_blob(&blobs, points1, len1);
	u32 third = add_blob(&blobs, points3, len3), start, off;

	*p = (struct fake_pdb){};
	put(&tables, 0, 8); /* narrow heaps */
	put(&tables, 1ull << 0x30 | 1ull << 0x31, 8);
	put(&tables, 0, 8);
	put(&tables, 2, 4);
	put(&tables, 3, 4);
	for (u32 i = 0; i < 2; i++) {
		put(&tables, i ? two : one, 2);
		put(&tables, 0, 6);
	}
	for (u32 i = 0; i < 3; i++) {
		put(&tables, i == 0, 2);
		put(&tables, i == 0 ? first : i == 2 ? third : 0, 2);
	}
	memcpy(p->bytes, "BSJB\1\0\1\0\0\0\0\0\14\0\0\0PDB v1.0\0\0\0\0", 28);
	w.len = 28;
	put(&w, 3ull << 16, 4);
	start = w.len + 16 + 12 + 16;
	off = start + 32;
	put_stream(&w, start, 32, "#Pdb", 8);
	put_stream(&w, off, tables.len, "#~", 4);
	put_stream(&w, off + tables.len, blobs.len, "#Blob", 8);
	for (u32 i = 0; i < 20; i++)
		put(&w, i + 1, 1); /* the PDB id */
	w.len += 12; /* entry point; no referenced tables */
	memcpy(w.bytes + w.len, tables.bytes, tables.len);
	w.len += tables.len;
	memcpy(w.bytes + w.len, blobs.bytes, blobs.len);
	p->len = w.len + blobs.len;
}
