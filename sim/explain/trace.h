/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One walk written down: its reads and its decisions, in order, as the flight recorder has
 * them (core/flight_walk.h). The core is built for this once more, with a port of its own
 * (sim/explain/port) that records all, so that walks that nobody looks at pay nothing for it.
 */

#include "../../core/flight_ring.h"
#include "../../core/uw_note.h"
#include "../case/target.h"

#define TRACE_BYTES FLIGHT_READ_BYTES /* of what was read; a window is long */

enum trace_kind { TRACE_NOTE, TRACE_READ };

struct trace_event {
	u8 kind; /* enum trace_kind */
	u8 note; /* enum uw_note */
	u16 frame; /* the frame that the walk looked at; its index in the sample */
	u32 len; /* of a read */
	s32 result; /* of a read: 0 or SIM_FAULT */
	bool is_missing; /* it asked for what the memory does not know: no fault */
	u8 bytes[TRACE_BYTES]; /* the first that were read */
	u64 value; /* of a note; address of a read */
	struct uw_regs regs; /* when it was noted */
	u64 stack_low;
	bool sp_known;
};

struct trace {
	const struct sim_target *target;
	struct trace_event *at;
	u32 n, room;
	u64 missing_at; /* 1 + index in the recorder's ring of the first read of what is not known
			 */
	bool has_missing; /* one of the reads: what the walk made of it is no result */
};

/**
 * trace_walk() - walk @target, natively, and write down how
 * @t:		empty; ends with trace_deinit()
 * @u:		the result is in u->sample; it is the one that @arch->walk gives
 *
 * Return: 0 or -ENOMEM.
 */
int trace_walk(struct trace *t, const struct sim_arch *arch, const struct sim_target *target,
	       struct uw_state *u);
void trace_deinit(struct trace *t);

/* For the port: the trace of the walk that this thread makes. */
extern _Thread_local struct trace *trace_current;

/* A read has failed, and is about to be recorded. */
void trace_fault(struct trace *t);

/* The walk itself, of one architecture each (walk.c). */
void trace_walk_x86_64(struct uw_state *u, const struct sim_target *target);
void trace_walk_arm64(struct uw_state *u, const struct sim_target *target);
