// SPDX-License-Identifier: BSD-2-Clause

#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Thread_local struct trace *trace_current;

/* A walk has at most UW_MAX_FRAMES steps of some twenty events each. */
static struct trace_event *new_event(struct trace *t)
{
	struct trace_event *grown;

	if (t->n == t->room) {
		u32 room = t->room ? t->room * 2 : 256;

		grown = realloc(t->at, room * sizeof(*grown));
		if (!grown) {
			t->err = -ENOMEM;
			return NULL;
		}
		t->at = grown;
		t->room = room;
	}
	t->at[t->n] = (struct trace_event){ .frame = t->n ? t->at[t->n - 1].frame : 0 };
	return &t->at[t->n++];
}

void trace_read(struct trace *t, const void *bytes, u32 len, u64 addr, long result)
{
	struct trace_event *e = new_event(t);

	if (!e)
		return;
	e->kind = TRACE_READ;
	e->value = addr;
	e->len = len;
	e->result = (s32)result;
	e->is_missing = result && t->target->mem->missing.len && !t->has_missing;
	t->has_missing |= e->is_missing;
	memcpy(e->bytes, bytes, len < TRACE_BYTES ? len : TRACE_BYTES);
}

void trace_note(struct trace *t, const struct uw_state *u, enum uw_note note, u64 value)
{
	struct trace_event *e = new_event(t);

	if (!e)
		return;
	e->kind = TRACE_NOTE;
	e->note = (u8)note;
	e->value = value;
	e->regs = u->regs;
	e->stack_low = u->stack_low;
	e->sp_known = u->sp_known;
	if (note == UW_NOTE_STEP)
		e->frame = (u16)(u->sample.n_frames - 1);
}

int trace_walk(struct trace *t, const struct sim_arch *arch, const struct sim_target *target,
	       struct uw_state *u)
{
	*t = (struct trace){ .target = target };
	target->mem->missing.len = 0;
	trace_current = t;
	if (arch == &sim_arch_arm64)
		trace_walk_arm64(u, target);
	else
		trace_walk_x86_64(u, target);
	trace_current = NULL;
	return t->err;
}

void trace_deinit(struct trace *t)
{
	free(t->at);
	*t = (struct trace){ 0 };
}
