// SPDX-License-Identifier: BSD-2-Clause

#include "case_rows.h"

#include "../util/cleanup.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct case_row *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->file_off < y->file_off ? -1 : x->file_off > y->file_off;
}

/* Removes duplicates, because recursion looks up the same row repeatedly. */
static u32 drop_repeated(struct case_row *rows, u32 n)
{
	u32 kept = 0;

	for (u32 i = 0; i < n; i++)
		if (!i || compare(&rows[i], &rows[kept - 1]))
			rows[kept++] = rows[i];
	return kept;
}

/*
 * Finds the module and file offset of a frame's row. Returns false if the frame has no row: only
 * code of files and V8 builtins has rows.
 */
static bool place_of(const struct uw_frame *f, const struct case_rule_source *source, u32 *module,
		     u64 *off)
{
	u64 pc = uw_frame_lookup_pc(f);
	const struct uw_mapping *m;

	if (f->kind == UW_NATIVE || f->kind == UW_DOTNET_R2R) {
		*module = f->aux;
		*off = pc - f->pc + f->a;
	} else {
		if (f->kind != UW_V8_JS && f->kind != UW_V8_STUB && f->kind != UW_V8_CODE)
			return false;
		m = source->mapping(source->ctx, pc);
		if (!m || m->kind != UW_MAP_V8_BUILTINS)
			return false;
		*module = m->module;
		*off = pc - m->start_addr + m->file_off;
	}
	return *module && *off < UW_MAX_ROW_OFF && !(f->flags & UW_FRAME_NO_ROWS);
}

int case_rows_used(const struct uw_frame *frames, u32 n_frames,
		   const struct case_rule_source *source, struct case_row **out, u32 *n_out)
{
	_cleanup_free_ struct case_row *rows = calloc(n_frames + 1ul, sizeof(*rows));
	u32 n = 0;

	if (!rows)
		return -ENOMEM;
	for (u32 i = 0; i < n_frames; i++) {
		const struct uw_rule *rule;
		u32 module;
		u64 off;

		if (!place_of(&frames[i], source, &module, &off))
			continue;
		rule = source->find(source->ctx, module, off);
		if (!rule)
			return -ESTALE;
		rows[n++] = (struct case_row){ module, off, *rule };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	*n_out = drop_repeated(rows, n);
	*out = n ? TAKE_PTR(rows) : NULL;
	return 0;
}
