/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake_assembly.h"

#include <string.h>

#define SECTION_OFF 0x200
#define SECTION_RVA 0x2000
#define N(a) (sizeof(a) / sizeof((a)[0]))

/* HASTHIS, 2 parameters, returns void; int; GENERICINST CLASS TypeRef 1 with 1 argument, VAR 0. */
const u8 fake_signature[9] = { 0x20, 2, 1, 8, 0x15, 0x12, 1 << 2 | 1, 1, 0x13 };
static const u8 fake_signature_end[] = { 0 };

struct writer {
	u8 *bytes;
	u32 len;
};

static void put(struct writer *w, u64 value, u32 n)
{
	memcpy(w->bytes + w->len, &value, n);
	w->len += n;
}

static void put_bytes(struct writer *w, const void *bytes, u32 n)
{
	if (n)
		memcpy(w->bytes + w->len, bytes, n);
	w->len += n;
}

static void align(struct writer *w, u32 to)
{
	while (w->len % to)
		w->bytes[w->len++] = 0;
}

static u32 add_string(struct writer *heap, const char *s)
{
	u32 idx = heap->len;

	put_bytes(heap, s, (u32)strlen(s) + 1);
	return idx;
}

static u32 add_blob(struct writer *heap, const u8 *bytes, u32 len, const u8 *more, u32 n_more)
{
	u32 idx = heap->len;

	put(heap, len + n_more, 1);
	put_bytes(heap, bytes, len);
	put_bytes(heap, more, n_more);
	return idx;
}

struct heaps {
	struct writer strings, blobs;
};

static void put_type(struct writer *t, struct heaps *h, const char *namespace, const char *name,
		     u32 methods)
{
	put(t, 0, 4); /* flags */
	put(t, add_string(&h->strings, name), 2);
	put(t, namespace[0] ? add_string(&h->strings, namespace) : 0, 2);
	put(t, 0, 2); /* extends */
	put(t, 1, 2); /* fields */
	put(t, methods, 2);
}

static void put_method(struct writer *t, struct heaps *h, const char *name, u32 signature)
{
	put(t, 0, 4);
	put(t, 0, 4);
	put(t, add_string(&h->strings, name), 2);
	put(t, signature, 2);
	put(t, 1, 2);
}

static void put_generic(struct writer *t, struct heaps *h, u32 owner, const char *name)
{
	put(t, 0, 2);
	put(t, 0, 2);
	put(t, owner, 2);
	put(t, add_string(&h->strings, name), 2);
}

/*
 * Writes the tables in the order of their numbers, with the columns in the order of ECMA-335
 * II.22.
 */
static void put_tables(struct writer *t, struct heaps *h, const u8 *signature, u32 len,
		       struct fake_assembly *a, u32 *nested)
{
	const u32 rows[] = { 1, 1 + a->n_more, 5, 4, 1, 2, 3 };
	u32 own =
		add_blob(&h->blobs, fake_signature, sizeof(fake_signature), fake_signature_end, 1);
	u32 given = add_blob(&h->blobs, signature, len, NULL, 0);

	put(t, 0, 4);
	put(t, 2, 2);
	put(t, 0x100, 2); /* narrow heaps */
	put(t,
	    1ull << 0 | 1ull << 1 | 1ull << 2 | 1ull << 6 | 1ull << 0x20 | 1ull << 0x29 |
		    1ull << 0x2a,
	    8);
	put(t, 0, 8);
	for (u32 i = 0; i < N(rows); i++)
		put(t, rows[i], 4);
	put(t, 0, 4); /* Module: generation 0, no name */
	put(t, 1, 2); /* GUID */
	put(t, 0, 4);
	for (u32 i = 0; i <= a->n_more; i++) {
		put(t, 0, 2); /* TypeRef */
		put(t, add_string(&h->strings, "List`1"), 2);
		put(t, add_string(&h->strings, "System.Collections.Generic"), 2);
	}
	put_type(t, h, "", "<Module>", 1);
	put_type(t, h, "Demo", "Outer`1", FAKE_CTOR);
	put_type(t, h, "Demo", "Empty", FAKE_WORK);
	put_type(t, h, "", "Inner", FAKE_WORK);
	put_type(t, h, "", "<RunAsync>d__1", FAKE_MOVE_NEXT);
	put_method(t, h, ".ctor", own);
	put_method(t, h, "Work", own);
	put_method(t, h, "Pick", given);
	put_method(t, h, "MoveNext", own);
	put(t, 0, 8); /* Assembly */
	put(t, 0, 8);
	put(t, 0, 2);
	a->assembly_name_off = add_string(&h->strings, "fake");
	put(t, a->assembly_name_off, 2);
	put(t, 0, 2);
	*nested = t->len;
	put(t, FAKE_INNER, 2);
	put(t, FAKE_OUTER, 2);
	put(t, FAKE_BODY, 2);
	put(t, FAKE_INNER, 2);
	put_generic(t, h, FAKE_OUTER << 1, "T");
	put_generic(t, h, FAKE_PICK << 1 | 1, "M");
	put_generic(t, h, FAKE_INNER << 1, "T");
	align(t, 4);
}

static void put_stream(struct writer *w, u32 off, u32 len, const char *name)
{
	put(w, off, 4);
	put(w, len, 4);
	put_bytes(w, name, (u32)strlen(name) + 1);
	align(w, 4);
}

static void put_metadata(struct writer *w, const u8 *signature, u32 len, struct fake_assembly *a)
{
	u8 tables_bytes[1024], strings_bytes[1024] = "", blob_bytes[256] = "";
	struct writer tables = { tables_bytes };
	struct heaps h = { { strings_bytes, 1 }, { blob_bytes, 1 } };
	u32 start = w->len, off = 32 + 8 + 4 + 8 + 12 + 8 + 8 + 16, nested;

	put_tables(&tables, &h, signature, len, a, &nested);
	align(&h.strings, 4);
	align(&h.blobs, 4);
	put_bytes(w, "BSJB\1\0\1\0\0\0\0\0\14\0\0\0v4.0.30319\0\0", 28);
	put(w, 0, 2);
	put(w, 4, 2);
	put_stream(w, off, tables.len, "#~");
	put_stream(w, off + tables.len, h.strings.len, "#Strings");
	put_stream(w, off + tables.len + h.strings.len, h.blobs.len, "#Blob");
	put_stream(w, off + tables.len + h.strings.len + h.blobs.len, 16, "#GUID");
	a->nested_off = w->len + nested;
	put_bytes(w, tables_bytes, tables.len);
	a->assembly_name_off += w->len;
	put_bytes(w, strings_bytes, h.strings.len);
	put_bytes(w, blob_bytes, h.blobs.len);
	put(w, 0x1234567890abcdefull + a->n_more, 8);
	put(w, 1, 8);
	a->metadata_len = w->len - start;
}

static void put_headers(struct writer *w, u32 len)
{
	put_bytes(w, "MZ", 2);
	w->len = 0x3c;
	put(w, 0x80, 4);
	w->len = 0x80;
	put_bytes(w, "PE\0\0", 4);
	put(w, 0x8664, 2);
	put(w, 1, 2); /* sections */
	w->len += 12;
	put(w, 112 + 16 * 8, 2);
	put(w, 0, 2);
	put(w, 0x20b, 2);
	w->len += 106;
	put(w, 16, 4); /* directories */
	w->len += 14 * 8;
	put(w, SECTION_RVA, 4);
	put(w, 72, 4);
	w->len += 8;
	put_bytes(w, ".text\0\0\0", 8);
	put(w, len, 4);
	put(w, SECTION_RVA, 4);
	put(w, len, 4);
	put(w, SECTION_OFF, 4);
}

void fake_assembly_make(struct fake_assembly *a, const u8 *signature, u32 len)
{
	fake_assembly_make_more(a, signature, len, 0);
}

void fake_assembly_make_more(struct fake_assembly *a, const u8 *signature, u32 len, u32 n_more)
{
	struct writer w = { a->bytes, FAKE_METADATA_OFF };

	*a = (struct fake_assembly){ .n_more = n_more };
	put_metadata(&w, signature, len, a);
	a->len = w.len;
	w.len = 0;
	put_headers(&w, a->len - SECTION_OFF);
	w.len = SECTION_OFF;
	put(&w, 72, 4);
	put(&w, 0, 4);
	put(&w, SECTION_RVA + 72, 4);
	put(&w, a->metadata_len, 4);
}
