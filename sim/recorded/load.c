// SPDX-License-Identifier: BSD-2-Clause

/* Makes a simulator case from a recorded case: one stop, with the memory of the file. */

#include "load.h"

#include "../../inspect/case/case.h"
#include "../../inspect/util/cleanup.h"
#include "../case/rows.h"
#include "../mem/recorded.h"

#include <errno.h>
#include <string.h>

struct recorded {
	struct sim_case c;
	struct case_file *file;
	struct uw_mapping *mappings;
	struct sim_rows rows;
	u64 *pcs; /* pcs of the recorded walk; used if the true stack is unknown */
};

static struct recorded *recorded_of(struct sim_case *c)
{
	return (struct recorded *)c;
}

void sim_recorded_free(struct sim_case **c)
{
	struct recorded *r = recorded_of(*c);

	if (!r)
		return;
	sim_mem_free(&r->c.target.mem);
	case_free(&r->file);
	for (u32 i = 0; i < r->c.n_functions; i++)
		free((char *)r->c.functions[i].name);
	free(r->c.functions);
	free(r->c.name);
	sim_rows_deinit(&r->rows);
	free(r->mappings);
	free(r->pcs);
	free(r);
	*c = NULL;
}

static int take_functions(struct recorded *r)
{
	const struct case_file *f = r->file;

	r->c.functions = calloc(f->n_functions + 1ul, sizeof(*r->c.functions));
	if (!r->c.functions)
		return -ENOMEM;
	for (u32 i = 0; i < f->n_functions; i++, r->c.n_functions++) {
		r->c.functions[i] = (struct sim_function){ strdup(f->functions[i].name),
							   f->functions[i].start_addr,
							   f->functions[i].len };
		if (!r->c.functions[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* Uses the true stack as the truth if the file has it, else the frames of the recorded walk. */
static int take_truth(struct recorded *r)
{
	const struct case_file *f = r->file;

	if (f->truth) {
		r->c.truth = (struct sim_truth){ .pcs = f->truth->pcs, .n = f->truth->n_pcs };
		r->c.status = f->truth->status;
		return 0;
	}
	if (!f->walk)
		return 0;
	r->pcs = calloc(f->walk->n_frames + 1ul, sizeof(*r->pcs));
	if (!r->pcs)
		return -ENOMEM;
	for (u32 i = 0; i < f->walk->n_frames; i++)
		r->pcs[i] = f->walk->frames[i].pc;
	r->c.truth = (struct sim_truth){ .pcs = r->pcs, .n = f->walk->n_frames };
	r->c.status = f->walk->status;
	return 0;
}

/*
 * Makes a page of rows from the rows that the walk used: only a byte that the walk looked up has
 * a rule, and the code between such bytes has no unwind information.
 */
static int take_page(struct recorded *r, u32 first, u32 n)
{
	const struct case_row *row = &r->file->rows[first];
	u32 rows[2 * CASE_MAX_ROWS + 1] = { 0 }, n_rows = 1;

	for (u32 i = 0; i < n; i++) {
		u32 off = row[i].file_off % UW_ROW_PAGE_LEN;

		if (rows[n_rows - 1] >> UW_ROW_OFF_SHIFT == off)
			n_rows--;
		rows[n_rows++] = off << UW_ROW_OFF_SHIFT | (first + i + 1);
		if (off + 1 < UW_ROW_PAGE_LEN)
			rows[n_rows++] = (off + 1) << UW_ROW_OFF_SHIFT;
	}
	return sim_rows_add_page(&r->rows, row->module, (u32)(row->file_off / UW_ROW_PAGE_LEN),
				 rows, n_rows);
}

/*
 * Makes the tables of rows and rules. Rule 0 means no rule; the other rules are those of the
 * rows, in the order of the rows.
 */
static int take_rows(struct recorded *r)
{
	const struct case_row *row = r->file->rows;
	u32 n = r->file->n_rows, first = 0;
	int err = 0;

	sim_rows_deinit(&r->rows);
	r->rows.rules = calloc(n + 1ul, sizeof(*r->rows.rules));
	if (!r->rows.rules)
		return -ENOMEM;
	r->rows.n_rules = n + 1;
	for (u32 i = 0; i < n && !err; i++) {
		r->rows.rules[i + 1] = row[i].rule;
		if (i + 1 < n && row[i + 1].module == row[i].module &&
		    row[i + 1].file_off / UW_ROW_PAGE_LEN == row[i].file_off / UW_ROW_PAGE_LEN)
			continue;
		err = take_page(r, first, i + 1 - first);
		first = i + 1;
	}
	sim_rows_use(&r->rows, &r->c.target);
	return err;
}

/* Whether the recorded walk used or missed a row of V8's builtins. */
static bool knew_builtins(const struct case_file *f, const struct uw_mapping *m)
{
	for (u32 i = 0; i < f->n_rows; i++)
		if (f->rows[i].module == m->module &&
		    f->rows[i].file_off - m->file_off < m->end_addr - m->start_addr)
			return true;
	for (u32 i = 0; f->walk && i < f->walk->n_frames; i++)
		if (f->walk->frames[i].flags & UW_FRAME_NO_ROWS &&
		    f->walk->frames[i].pc - m->start_addr <= m->end_addr - m->start_addr)
			return true;
	return false;
}

/*
 * Converts a mapping. Walks that were recorded before rows of V8's builtins existed are repeated
 * without such rows.
 */
static struct uw_mapping take_mapping(const struct case_file *f, const struct uw_mapping *m)
{
	struct uw_mapping taken = *m;

	if (m->kind == UW_MAP_V8_BUILTINS && f->walk && !knew_builtins(f, m))
		taken.module = 0;
	return taken;
}

static bool began_in_syscall(const struct case_file *f)
{
	return f->walk && f->walk->n_frames && f->walk->frames[0].flags & UW_FRAME_SYSCALL;
}

static int take_target(struct recorded *r)
{
	const struct case_file *f = r->file;
	struct sim_target *t = &r->c.target;

	r->mappings = calloc(f->n_mappings + 1ul, sizeof(*r->mappings));
	if (!r->mappings)
		return -ENOMEM;
	for (u32 i = 0; i < f->n_mappings; i++)
		r->mappings[i] = take_mapping(f, &f->mappings[i].map);
	*t = (struct sim_target){
		.mappings = r->mappings,
		.v8_builds = f->v8_builds,
		.n_mappings = f->n_mappings,
		.n_v8_builds = f->n_v8_builds,
		.regs = { f->regs.pc, f->regs.sp, f->regs.fp, f->regs.lr, {} },
		.extent = f->extent,
		.va_mask = f->va_mask,
		.sample_flags = began_in_syscall(f) ? UW_SAMPLE_IN_SYSCALL : 0,
	};
	case_scratch(f, t->regs.scratch);
	return sim_recorded_new(f, &t->mem);
}

/* Repeats the walk of a plain core until the files that the core maps provide no more rows. */
static int find_rows(struct recorded *r)
{
	_cleanup_free_ struct uw_state *u = calloc(1, sizeof(*u));
	int n;

	if (!u)
		return -ENOMEM;
	do {
		int err = take_rows(r);

		if (err)
			return err;
		r->c.arch->walk(u, &r->c.target);
		n = case_plain_add_rows(r->file, u->sample.frames, u->sample.n_frames);
	} while (n > 0);
	return n;
}

static int make(struct recorded *r, const char *path, const struct sim_arch *arch)
{
	int err;

	r->c.arch = arch;
	r->c.recorded = r->file;
	r->c.name = strdup(path);
	err = r->c.name ? take_target(r) : -ENOMEM;
	if (!err)
		err = r->file->is_plain_core ? find_rows(r) : take_rows(r);
	if (!err)
		err = take_functions(r);
	return err ? err : take_truth(r);
}

bool sim_is_unjudged(const struct sim_case *c)
{
	return c->recorded && !c->truth.pcs;
}

int sim_recorded_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		      struct sim_error *error)
{
	_cleanup_(sim_recorded_free) struct sim_case *c = NULL;
	struct recorded *r = calloc(1, sizeof(*r));
	struct case_error why = { "" };
	int err;

	if (!r)
		return -ENOMEM;
	c = &r->c;
	err = case_read(path, &why, &r->file);
	if (err) /* not -ENOTSUP, because callers skip a case for -ENOTSUP */
		return sim_fail(error, err == -ENOTSUP ? -ENOEXEC : err, "%s", why.text);
	if (strcmp(case_arch_name(r->file->arch), arch->name) != 0)
		return -ENOTSUP;
	err = make(r, path, arch);
	if (err)
		return sim_fail(error, err, "%s: %s", path, strerror(-err));
	*out = TAKE_PTR(c);
	return 0;
}
