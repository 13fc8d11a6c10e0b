// SPDX-License-Identifier: BSD-2-Clause

/*
 * The order of saving matters, because the target may change meanwhile: first the log of
 * the walk's reads, then the memory that naming reads, then the other bytes of the pages
 * that the walk and naming read.
 */

#include "take.h"

#include "../sample/logs.h"
#include "../session/image.h"
#include "frames.h"
#include "process_areas.h"
#include "tables.h"

#include "../../inspect/case/surround.h"
#include "../../inspect/util/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct arch_pt_regs) <= CASE_MAX_REGS * sizeof(u64), "registers fit");

#define _cleanup_target_ __attribute__((cleanup(target_process_deinit)))

static int put_reads(struct taken *t, const struct uw_log *log)
{
	const struct uw_log_read *read = NULL;
	int err = 0;

	t->reads = calloc(log->n_reads + 1, sizeof(*t->reads));
	if (!t->reads)
		return -ENOMEM;
	t->file.reads = t->reads;
	while (!err && (read = logs_next(log, read))) {
		t->reads[t->file.n_reads++] =
			(struct case_read){ read->addr, read->len, read->result != 0 };
		if (!read->result)
			err = pages_put(&t->pages, read->addr, read + 1, read->len, BYTE_READ);
	}
	/*
	 * If a long read faulted but a shorter read of the same address succeeded, only the bytes
	 * after the shorter read are a fault.
	 */
	for (u32 i = 0; !err && i < t->file.n_reads; i++)
		if (t->reads[i].is_fault)
			err = pages_put_fault(&t->pages, t->reads[i].addr, t->reads[i].len);
	return err;
}

static void take_regs(struct taken *t, const struct uw_sample *s, const struct uw_log *log)
{
	t->regs = (struct case_regs){
		.pc = s->pc, .sp = s->sp, .fp = s->fp, .lr = s->lr, .has_all = true
	};
	memcpy(t->regs.all, &log->regs, sizeof(log->regs));
	t->file.regs = t->regs;
}

/* Redacts private words in memory and registers; redact.h lists the words that stay. */
static void redact(struct taken *t, const struct uw_sample *s)
{
	struct redaction r = { .areas = &t->areas,
			       .frames = t->walked,
			       .n_frames = t->walk.n_frames,
			       .mappings = t->mappings,
			       .n_mappings = t->file.n_mappings,
			       .v8 = case_v8(&t->file),
			       .sp = s->sp,
			       .fault_addr = s->fault_addr,
			       .va_mask = t->file.va_mask };

	redact_pages(&r, &t->pages);
	redact_regs(&r, &t->file.regs);
	t->file.is_redacted = true;
}

static enum take_result result_of(int err)
{
	return !err		? TAKE_OK
	       : err == -ESTALE ? TAKE_CHANGED
	       : err == -ESRCH	? TAKE_GONE
	       : err == -ENOMSG ? TAKE_NO_MATCH
				: TAKE_FAILED;
}

static int take_all(const struct session_stack *stack, const struct uw_log *log,
		    const struct take_options *o, struct taken *t)
{
	const struct uw_sample *s = stack->sample;
	_cleanup_target_ struct target_process process = { .mem_fd = -1 };
	struct target *memory = &process.target;
	int err = put_reads(t, log);

	t->file.va_mask = o->va_mask;
	take_regs(t, s, log);
	if (!err)
		err = take_frames(t, stack, o);
	if (!err)
		err = areas_read(&t->areas, s->pid, s->sp);
	if (!err)
		err = target_process_init(&process, (int)s->pid);
	if (!err)
		err = pages_surround(&t->pages, &t->areas, memory, s->sp);
	if (!err)
		err = take_tables(t, stack);
	if (err)
		return err;
	if (!o->raw)
		redact(t, s);
	return pages_ranges(&t->pages, o->minimal, &t->file);
}

enum take_result take(const struct session_stack *stack, const struct uw_log *log,
		      const struct take_options *options, struct taken *out)
{
	*out = (struct taken){ 0 };
	return result_of(take_all(stack, log, options, out));
}

void taken_deinit(struct taken *t)
{
	pages_free_ranges(&t->file);
	pages_deinit(&t->pages);
	areas_deinit(&t->areas);
	case_frames_deinit(&t->frames);
	tables_free_taken(t);
	free(t->reads);
	*t = (struct taken){ 0 };
}
