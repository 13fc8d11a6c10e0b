/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A method's sequence points are a blob of compressed integers:
 *
 *	signature of the locals  [document, unless the row has one]
 *	IL delta, line delta, column delta (unsigned if on one line, else signed),
 *		[start line, start column: the first time unsigned, then signed deltas]
 *
 * If line and column delta are both 0, the point is hidden and has no start. An IL delta of 0 in a
 * record other than the first means that the record is no point, and that a document follows. A
 * document's name consists of a separator and blobs, one for each part of the name. Source:
 * portable PDB specification v1.0, "Sequence Points Blob", "Document Name Blob".
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "metadata_number.h"
#include "pdb.h"

#define MAX_PARTS 64

struct pdb {
	struct target_bytes target;
	struct metadata metadata;
	u8 id[PDB_ID_LEN];
};

static size_t total; /* bytes of all PDBs */

int pdb_new(struct pdb **out, u8 *bytes, size_t len)
{
	bool fits = len <= UINT32_MAX && len <= PDB_MAX_TOTAL - total;
	struct pdb *pdb = fits ? calloc(1, sizeof(*pdb)) : NULL;
	struct metadata *m;
	int err;

	if (!pdb)
		return -ENOMEM;
	m = &pdb->metadata;
	target_bytes_init(&pdb->target, bytes, len);
	err = metadata_init(m, &pdb->target.target, 0, (u32)len);
	if (!err && (m->pdb.len < PDB_ID_LEN || !m->rows[METADATA_METHOD_DEBUG]))
		err = -ENOEXEC;
	if (!err)
		err = target_read(&pdb->target.target, m->pdb.addr, pdb->id, PDB_ID_LEN);
	if (err) {
		free(pdb);
		return -ENOEXEC;
	}
	total += len;
	*out = pdb;
	return 0;
}

void pdb_free(struct pdb **pdb)
{
	if (*pdb) {
		total -= (*pdb)->target.len;
		free((u8 *)(*pdb)->target.bytes);
	}
	free(*pdb);
	*pdb = NULL;
}

const u8 *pdb_id(const struct pdb *pdb)
{
	return pdb->id;
}

/* Gets the bytes of a blob, which are valid until the PDB is freed. */
static int get_blob(const struct pdb *pdb, u32 idx, const u8 **p, const u8 **end)
{
	u64 addr;
	u32 len;
	int err = metadata_blob(&pdb->metadata, idx, &addr, &len);

	if (err)
		return -ENOEXEC;
	*p = pdb->target.bytes + addr;
	*end = *p + len;
	return 0;
}

static int take(const u8 **p, const u8 *end, u32 *value)
{
	int n = metadata_uint(*p, (size_t)(end - *p), value);

	if (n < 0)
		return -ENOEXEC;
	*p += n;
	return 0;
}

static int take_signed(const u8 **p, const u8 *end, s32 *value)
{
	int n = metadata_sint(*p, (size_t)(end - *p), value);

	if (n < 0)
		return -ENOEXEC;
	*p += n;
	return 0;
}

struct points {
	const u8 *p, *end;
	u32 document, il;
	s64 line, column;
	bool is_first, is_visible, has_start;
};

/* Reads a start. The first start is unsigned; a later one is a delta from the previous start. */
static int take_start(struct points *s)
{
	u32 line = 0, column = 0;
	s32 lines = 0, columns = 0;
	int err;

	if (!s->has_start) {
		s->has_start = true;
		err = take(&s->p, s->end, &line);
		if (!err)
			err = take(&s->p, s->end, &column);
	} else {
		err = take_signed(&s->p, s->end, &lines);
		if (!err)
			err = take_signed(&s->p, s->end, &columns);
	}
	s->line += (s64)line + lines;
	s->column += (s64)column + columns;
	return err;
}

/* Reads the next record, which may only switch to a new document. */
static int take_record(struct points *s)
{
	u32 il_delta, lines, columns = 0;
	s32 ignored;
	int err = take(&s->p, s->end, &il_delta);

	s->is_visible = false;
	if (!err && !il_delta && !s->is_first)
		return take(&s->p, s->end, &s->document);
	s->is_first = false;
	s->il += il_delta;
	if (!err)
		err = take(&s->p, s->end, &lines);
	if (err)
		return err;
	if (lines)
		err = take_signed(&s->p, s->end, &ignored);
	else
		err = take(&s->p, s->end, &columns);
	if (err || (!lines && !columns))
		return err;
	s->is_visible = true;
	return take_start(s);
}

static int begin(const struct pdb *pdb, u32 row, struct points *s)
{
	const struct metadata *m = &pdb->metadata;
	u32 idx, ignored;
	int err = metadata_cell(m, METADATA_METHOD_DEBUG, row, METHOD_DEBUG_DOCUMENT, &s->document);

	if (!err)
		err = metadata_cell(m, METADATA_METHOD_DEBUG, row, METHOD_DEBUG_POINTS, &idx);
	if (err || !idx)
		return -ENOENT;
	s->is_first = true;
	err = get_blob(pdb, idx, &s->p, &s->end);
	if (!err)
		err = take(&s->p, s->end, &ignored);
	if (!err && !s->document)
		err = take(&s->p, s->end, &s->document);
	return err;
}

static int add_document(const struct pdb *pdb, u32 row, struct text *file)
{
	const u8 *p, *end, *part, *part_end;
	char separator[2] = "";
	u32 idx;
	int err = metadata_cell(&pdb->metadata, METADATA_DOCUMENT, row, DOCUMENT_NAME, &idx);

	if (!err)
		err = get_blob(pdb, idx, &p, &end);
	if (err || p == end)
		return -ENOEXEC;
	separator[0] = (char)*p++;
	for (u32 i = 0; p < end && i < MAX_PARTS; i++) {
		err = take(&p, end, &idx);
		/*
		 * Blob 0 is empty; as the first part, it means that the name begins with the
		 * separator.
		 */
		if (!err)
			err = get_blob(pdb, idx, &part, &part_end);
		if (err)
			return err;
		text_add(file, "%s%.*s", i ? separator : "", (int)(part_end - part),
			 (const char *)part);
	}
	return p < end ? -ENOEXEC : 0;
}

/*
 * Takes a point's line. In each document, the method's start is the first point in that document.
 */
static void take_line(const struct points *s, u32 *document, struct pdb_line *line)
{
	if (*document != s->document) {
		*document = s->document;
		line->start_line = (u32)s->line;
		line->start_column = s->column > 0 && s->column < UINT32_MAX ? (u32)s->column : 0;
	}
	line->line = (u32)s->line;
}

int pdb_line(const struct pdb *pdb, u32 method_row, u32 il, struct pdb_line *line,
	     struct text *file)
{
	struct pdb_line found = { 0 };
	struct points s = {};
	u32 document = 0;
	int err = begin(pdb, method_row, &s);

	while (!err && s.p < s.end) {
		err = take_record(&s);
		if (err || s.il > il)
			break;
		if (s.is_visible && s.line > 0 && s.line < UINT32_MAX)
			take_line(&s, &document, &found);
	}
	if (err)
		return err;
	if (!found.line)
		return -ENOENT;
	err = add_document(pdb, document, file);
	if (!err)
		*line = found;
	return err;
}
