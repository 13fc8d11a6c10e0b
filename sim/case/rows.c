// SPDX-License-Identifier: BSD-2-Clause

#include "rows.h"

#include "../../inspect/go/go_rows.h"
#include "../../inspect/unwind/cfi.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_rows_add_page(struct sim_rows *r, u32 module, u32 page, const u32 *rows, u32 n)
{
	if (r->n_pages >= SIM_MAX_ROW_PAGES || r->n_rows + n > SIM_MAX_ROWS)
		return -EFBIG;
	if (array_reserve(r->pages, r->pages_room, r->n_pages + 1) ||
	    array_reserve(r->rows, r->rows_room, r->n_rows + n))
		return -ENOMEM;
	memcpy(r->rows + r->n_rows, rows, n * sizeof(*rows));
	r->pages[r->n_pages++] = (struct uw_row_page){ module, page, r->n_rows, n };
	r->n_rows += n;
	return 0;
}

static int add_segment(struct sim_rows *r, struct cfi *cfi, struct rules *rules, u32 module,
		       const struct elf_segment *s)
{
	u64 off = s->file_off & ~(u64)(UW_ROW_PAGE_LEN - 1), end = s->file_off + s->file_len;
	u32 rows[UW_MAX_PAGE_ROWS], n;
	int err = end < s->file_off || end > UW_MAX_ROW_OFF ? -EFBIG : 0;

	for (; off < end && !err; off += UW_ROW_PAGE_LEN) {
		u32 page = (u32)(off / UW_ROW_PAGE_LEN);

		/* Skips a page that two segments share, because it is already complete. */
		if (r->n_pages && r->pages[r->n_pages - 1].page >= page)
			continue;
		err = cfi_page(cfi, rules, off, rows, &n);
		if (!err)
			err = sim_rows_add_page(r, module, page, rows, n);
	}
	return err;
}

int sim_rows_of_file(struct sim_rows *r, struct elf_file *f, u32 module, bool follow)
{
	_cleanup_(rules_deinit) struct rules rules = { 0 };
	_cleanup_(cfi_free) struct cfi *cfi = NULL;
	const struct elf_segment *s;
	size_t n;
	int err;

	r->rules = calloc(SIM_MAX_RULES, sizeof(*r->rules));
	if (!r->rules)
		return -ENOMEM;
	s = elf_file_segments(f, &n);
	err = cfi_open(&cfi, f);
	if (!err)
		err = go_rows_add(cfi, f);
	if (!err && !follow)
		cfi_follow_nothing(cfi);
	if (!err)
		err = rules_init(&rules, r->rules, SIM_MAX_RULES);
	for (size_t i = 0; i < n && !err; i++)
		if (s[i].is_exec)
			err = add_segment(r, cfi, &rules, module, &s[i]);
	r->n_rules = rules.n;
	return !err && rules.n_refused ? -EFBIG : err;
}

void sim_rows_use(const struct sim_rows *r, struct sim_target *t)
{
	t->row_pages = r->pages;
	t->rows = r->rows;
	t->rules = r->rules;
	t->n_row_pages = r->n_pages;
	t->n_rows = r->n_rows;
	t->n_rules = r->n_rules;
}

void sim_rows_deinit(struct sim_rows *r)
{
	free(r->pages);
	free(r->rows);
	free(r->rules);
	*r = (struct sim_rows){ 0 };
}
