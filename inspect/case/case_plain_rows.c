// SPDX-License-Identifier: BSD-2-Clause

/*
 * A plain core has no unwind rows; they are computed from its files. As in a live process, missing
 * rows are added after a walk: the caller requests rows for the frames of the walk, then walks
 * again.
 */

#include "case_opened.h"

#include "../go/go_rows.h"
#include "../unwind/cfi.h"
#include "../util/cleanup.h"

#include <errno.h>
#include <string.h>

static int open_rows(struct cfi **out, struct elf_file *f)
{
	_cleanup_(cfi_free) struct cfi *c = NULL;
	int err = cfi_open(&c, f);

	if (!err)
		err = go_rows_add(c, f);
	if (!err)
		*out = TAKE_PTR(c);
	return err;
}

static int cfi_rows(struct case_modules *m, u32 module, u64 page_off, struct rules *rules,
		    u32 *rows, u32 *n)
{
	int err = 0;

	if (!m->at[module - 1])
		return -ENOENT;
	if (!m->cfi[module - 1])
		err = open_rows(&m->cfi[module - 1], m->at[module - 1]);
	return err ? err : cfi_page(m->cfi[module - 1], rules, page_off, rows, n);
}

/*
 * Finds the rule for one byte of code in the files. If no row covers the byte, the rule has
 * UW_CFA_NONE.
 */
static int find_rule(struct case_opened *o, const struct uw_frame *f, u64 file_off,
		     struct uw_rule *out)
{
	_cleanup_free_ struct uw_rule *table = calloc(UW_MAX_RULES, sizeof(*table));
	_cleanup_(rules_deinit) struct rules rules = { 0 };
	u32 rows[UW_MAX_PAGE_ROWS], n, i = 0;
	u64 in_page = file_off % UW_ROW_PAGE_LEN;
	int err = table ? rules_init(&rules, table, UW_MAX_RULES) : -ENOMEM;

	if (!err && f->kind == UW_DOTNET_R2R)
		err = case_plain_image_rows(o, uw_frame_lookup_pc(f), file_off - in_page, &rules,
					    rows, &n);
	else if (!err)
		err = cfi_rows(&o->modules, f->aux, file_off - in_page, &rules, rows, &n);
	if (err)
		return err;
	while (i + 1 < n && rows[i + 1] >> UW_ROW_OFF_SHIFT <= in_page)
		i++;
	*out = table[rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)];
	return 0;
}

/* Finds the index at which to insert a row. Returns false if the row exists. */
static bool find_place(const struct case_file *c, const struct case_row *row, u32 *out)
{
	u32 i = 0;

	while (i < c->n_rows &&
	       (c->rows[i].module < row->module ||
		(c->rows[i].module == row->module && c->rows[i].file_off < row->file_off)))
		i++;
	*out = i;
	return i == c->n_rows || c->rows[i].module != row->module ||
	       c->rows[i].file_off != row->file_off;
}

static bool add_row(struct case_opened *o, const struct uw_frame *f)
{
	struct case_row row = { .module = f->aux,
				.file_off = uw_frame_lookup_pc(f) - f->pc + f->a },
			*rows;
	u32 at;

	if (!row.module || row.module > o->modules.n || o->c.n_rows == CASE_MAX_ROWS ||
	    !find_place(&o->c, &row, &at) || find_rule(o, f, row.file_off, &row.rule))
		return false;
	rows = (struct case_row *)o->c.rows;
	memmove(&rows[at + 1], &rows[at], (o->c.n_rows - at) * sizeof(row));
	rows[at] = row;
	o->c.n_rows++;
	return true;
}

int case_plain_add_rows(struct case_file *c, const struct uw_frame *frames, u32 n_frames)
{
	struct case_opened *o = (struct case_opened *)c;
	int added = 0;

	if (!c->rows)
		c->rows = calloc(CASE_MAX_ROWS, sizeof(*c->rows));
	if (!o->modules.cfi)
		o->modules.cfi = calloc(o->modules.n + 1ul, sizeof(struct cfi *));
	if (!c->rows || !o->modules.cfi)
		return -ENOMEM;
	for (u32 i = 0; i < n_frames; i++)
		if (frames[i].kind == UW_NATIVE || frames[i].kind == UW_DOTNET_R2R)
			added += add_row(o, &frames[i]);
	return added;
}
