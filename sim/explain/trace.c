// SPDX-License-Identifier: BSD-2-Clause

#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/flight.h"
#include "../../inspect/flight/fl_ring.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

/* A walk has at most UW_MAX_FRAMES steps of about twenty events, of at most two slots each. */
#define N_SLOTS (1u << 17)

_Thread_local struct trace *trace_current;

void trace_fault(struct trace *t)
{
	if (t->target->mem->missing.len && !t->missing_at)
		t->missing_at = fl_thread.ring->next + 1;
}

static struct trace_event *new_event(struct trace *t)
{
	if (array_reserve(t->at, t->room, t->n + 1))
		return NULL;
	t->at[t->n] = (struct trace_event){ .frame = t->n ? t->at[t->n - 1].frame : 0 };
	return &t->at[t->n++];
}

static void take_read(struct trace *t, const struct fl_entry *in, struct trace_event *out)
{
	out->kind = TRACE_READ;
	out->value = in->d[0];
	out->len = (u32)in->d[1];
	out->result = (s32)in->d[2];
	out->is_missing = in->index + 1 == t->missing_at;
	t->has_missing |= out->is_missing;
	memcpy(out->bytes, &in->d[3], TRACE_BYTES);
}

/* Decodes a decision entry, whose words flight_walk_decision() defines. */
static void take_decision(const struct fl_entry *in, struct trace_event *out)
{
	out->kind = TRACE_NOTE;
	out->note = (u8)in->d[0];
	out->value = in->d[1];
	out->regs = (struct uw_regs){ .pc = in->d[2],
				      .sp = in->d[3],
				      .fp = in->d[4],
				      .lr = in->d[5],
				      .scratch = { in->d[6] } };
	out->stack_low = in->d[7];
	out->sp_known = in->d[8];
	if (out->note == UW_NOTE_STEP)
		out->frame = (u16)(in->detail - 1);
}

/*
 * Takes only the reads and decisions of a trace. The other recorded entries (steps, misses,
 * refusals, faults) repeat data of these.
 */
static int take_events(struct trace *t, const struct flight_ring *ring)
{
	struct fl_ring r = { ring, N_SLOTS };
	struct fl_cursor c = { .is_final = true };
	struct fl_entry e;

	while (fl_ring_read(&r, &c, &e) == FL_ENTRY) {
		struct trace_event *event;

		if (e.event != FLIGHT_READ && e.event != FLIGHT_DECISION)
			continue;
		event = new_event(t);
		if (!event)
			return -ENOMEM;
		if (e.event == FLIGHT_READ)
			take_read(t, &e, event);
		else
			take_decision(&e, event);
	}
	return ring->dropped || c.lost ? -ENOMEM : 0;
}

int trace_walk(struct trace *t, const struct sim_arch *arch, const struct sim_target *target,
	       struct uw_state *u)
{
	const struct flight_control all = { .mask = ~0ull, .keep_first = 1 };
	_cleanup_free_ struct flight_ring *ring =
		calloc(1, sizeof(*ring) + (size_t)N_SLOTS * sizeof(*ring->slots));

	*t = (struct trace){ .target = target };
	if (!ring)
		return -ENOMEM;
	target->mem->missing.len = 0;
	trace_current = t;
	fl_thread = (struct fl_thread){ &all, ring, N_SLOTS - 1 };
	flight_begin(0, target->regs.pc, target->regs.sp, target->regs.fp, 0);
	if (arch == &sim_arch_arm64)
		trace_walk_arm64(u, target);
	else
		trace_walk_x86_64(u, target);
	fl_thread = (struct fl_thread){ 0 };
	trace_current = NULL;
	return take_events(t, ring);
}

void trace_deinit(struct trace *t)
{
	free(t->at);
	*t = (struct trace){ 0 };
}
