// SPDX-License-Identifier: BSD-2-Clause

#include "walked.h"

#include "../../inspect/case/case_target.h"
#include "../../inspect/case/redact.h"
#include "../../inspect/case/surround.h"
#include "../../inspect/case/watch.h"
#include "../../inspect/util/cleanup.h"
#include "../case/cases.h"
#include "../engine/engine.h"
#include "load.h"
#include "name.h"
#include "record.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

struct walked {
	struct case_file file;
	struct case_walk walk;
	struct case_read *reads;
	struct case_row *rows;
	struct pages pages;
	struct areas areas;
	struct case_frames frames;
	char runtime[64];
};

static void walked_deinit(struct walked *w)
{
	pages_free_ranges(&w->file);
	pages_deinit(&w->pages);
	areas_deinit(&w->areas);
	case_frames_deinit(&w->frames);
	free(w->reads);
	free(w->rows);
}

static void close_session(struct sim_session **session)
{
	sim_session_close(session);
}

static int walk_natively(const struct sim_case *c, struct sim_walk *walk, struct sim_error *error)
{
	_cleanup_(close_session) struct sim_session *session = NULL;
	int err = sim_session_open(&sim_engine_native, c->arch, &session);

	if (!err)
		err = sim_session_walk(session, &c->target, walk);
	return err ? sim_fail(error, err, "%s: %s", c->name, session ? session->why : "no memory")
		   : 0;
}

static u8 holds_of(const struct case_file *core, const struct case_range *r)
{
	if (core->regs.sp - r->addr < r->len)
		return CASE_STACK;
	if (r->prot & PF_X)
		return CASE_CODE;
	for (u32 i = 0; i < core->n_files; i++)
		if (r->addr - core->files[i].start_addr <
		    core->files[i].end_addr - core->files[i].start_addr)
			return CASE_OTHER;
	return CASE_HEAP;
}

static int take_areas(struct walked *w, const struct case_file *core)
{
	int err = 0;

	for (u32 i = 0; i < core->n_ranges && !err; i++) {
		const struct case_range *r = &core->ranges[i];

		err = areas_add(&w->areas, &(struct area){ .start_addr = r->addr,
							   .end_addr = r->addr + r->len,
							   .prot = r->prot,
							   .holds = holds_of(core, r) });
	}
	return err;
}

static int take_reads(struct walked *w, const struct case_file *core, const struct sim_walk *walk)
{
	u8 bytes[SIM_PAGE_LEN];
	int err = 0;

	w->reads = calloc(walk->log.n + 1ul, sizeof(*w->reads));
	if (!w->reads)
		return -ENOMEM;
	for (u32 i = 0; i < walk->log.n && !err; i++) {
		const struct sim_read *r = &walk->reads[i];

		w->reads[i] = (struct case_read){ r->addr, r->len, r->result != 0 };
		if (r->result || r->len > sizeof(bytes) || case_bytes(core, r->addr, bytes, r->len))
			err = -ENODATA;
		else
			err = pages_put(&w->pages, r->addr, bytes, r->len, BYTE_READ);
	}
	w->file.reads = w->reads;
	w->file.n_reads = walk->log.n;
	return err;
}

static int take_memory(struct walked *w, const struct case_file *core, const struct uw_sample *s,
		       const struct sim_walked_options *o)
{
	struct case_watch watch = { .pages = &w->pages, .raw = o->raw };
	struct case_target memory;
	int err, kept;

	case_target_init(&memory, core);
	case_watch_begin(&watch, &memory.target);
	err = sim_name_frames(core, s, &memory.target, NULL, w->runtime, &w->frames);
	kept = case_watch_end(&watch, &memory.target);
	if (!err)
		err = kept;
	return err ? err : pages_surround(&w->pages, &w->areas, &memory.target, s->sp);
}

static void describe(struct walked *w, const struct uw_sample *s)
{
	w->walk = (struct case_walk){ .engine = "native",
				      .frames = s->frames,
				      .n_frames = s->n_frames,
				      .status = s->status,
				      .fault_addr = s->fault_addr };
	w->file.walk = &w->walk;
	w->file.frames = w->frames.v;
	w->file.n_frames = w->frames.n;
	w->file.runtime = w->runtime[0] ? w->runtime : NULL;
	w->file.version = NULL;
	w->file.is_plain_core = false;
}

static void redact(struct walked *w, struct uw_sample *s)
{
	struct redaction r = { .areas = &w->areas,
			       .frames = s->frames,
			       .n_frames = s->n_frames,
			       .mappings = w->file.mappings,
			       .n_mappings = w->file.n_mappings,
			       .v8 = case_v8(&w->file),
			       .sp = s->sp,
			       .fault_addr = s->fault_addr,
			       .va_mask = w->file.va_mask };

	redact_pages(&r, &w->pages);
	redact_regs(&r, &w->file.regs);
	w->file.is_redacted = true;
}

static int make(struct walked *w, const struct sim_case *c, struct sim_walk *walk,
		const struct sim_walked_options *o)
{
	const struct case_file *core = c->recorded;
	struct uw_sample *s = &walk->state.sample;
	int err;

	w->file = *core;
	w->file.ranges = NULL;
	w->file.faults = NULL;
	sim_take_regs(core, s);
	err = sim_rows_used(&c->target, s, &w->rows, &w->file.n_rows);
	w->file.rows = w->rows;
	if (!err)
		err = take_reads(w, core, walk);
	if (!err)
		err = take_areas(w, core);
	if (!err)
		err = take_memory(w, core, s, o);
	if (err)
		return err;
	describe(w, s);
	if (!o->raw)
		redact(w, s);
	return pages_ranges(&w->pages, o->is_minimal, &w->file);
}

static int load(const char *core, struct sim_case **out, struct sim_error *error)
{
	int err = -ENOTSUP;

	for (u32 i = 0; i < SIM_N_ARCHS && err == -ENOTSUP; i++)
		err = sim_recorded_load(core, sim_archs[i], out, error);
	if (err)
		return err;
	return (*out)->recorded->is_plain_core
		       ? 0
		       : sim_fail(error, -EINVAL, "%s: already a case", core);
}

int sim_walked_write(const char *core, const struct sim_walked_options *options, const char *path,
		     struct sim_error *error)
{
	_cleanup_(sim_recorded_free) struct sim_case *c = NULL;
	_cleanup_free_ struct sim_walk *walk = calloc(1, sizeof(*walk));
	_cleanup_(walked_deinit) struct walked w = { 0 };
	struct case_error why = { "" };
	int err = walk ? load(core, &c, error) : sim_fail(error, -ENOMEM, "out of memory");

	if (!err)
		err = walk_natively(c, walk, error);
	if (err)
		return err;
	err = make(&w, c, walk, options);
	if (err)
		return sim_fail(error, err, "%s: %s", core, strerror(-err));
	err = case_write(&w.file, path, &why);
	return err ? sim_fail(error, err, "%s", why.text) : 0;
}
