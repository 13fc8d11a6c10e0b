/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A recorded walk: the reads and decisions in order, as flight recorder entries
 * (core/flight_walk.h). Only a separate build of the core, with the port sim/explain/port,
 * records them, so walks of the normal build have no overhead.
 */

#include "../../core/flight_ring.h"
#include "../../core/uw_note.h"
#include "../case/target.h"

#define TRACE_BYTES FLIGHT_READ_BYTES /* only so many bytes of a read are kept */

enum trace_kind { TRACE_NOTE, TRACE_READ };

struct trace_event {
	u8 kind; /* enum trace_kind */
	u8 note; /* enum uw_note */
	u16 frame; /* index in the sample of the frame that the step processes */
	u32 len; /* length of a read */
	s32 result; /* result of a read: 0 or SIM_FAULT */
	bool is_missing; /* the read failed because the case does not contain the memory; this is
			  * not a fault of the target */
	u8 bytes[TRACE_BYTES]; /* the first bytes read */
	u64 value; /* the value of a note, or the address of a read */
	struct uw_regs regs; /* registers at the time of the note */
	u64 stack_low;
	bool sp_known;
};

struct trace {
	const struct sim_target *target;
	struct trace_event *at;
	u32 n, room;
	u64 missing_at; /* 1 + index in the ring of the first read of unknown memory */
	bool has_missing; /* unknown memory was read, so the walk is invalid */
};

/**
 * trace_walk() - walk @target natively, and record the walk
 * @t:		empty; freed by trace_deinit()
 * @u:		the result is in u->sample, and is the same as that of @arch->walk
 *
 * Return: 0 or -ENOMEM.
 */
int trace_walk(struct trace *t, const struct sim_arch *arch, const struct sim_target *target,
	       struct uw_state *u);
void trace_deinit(struct trace *t);

/* The trace of this thread's walk, which the port uses. */
extern _Thread_local struct trace *trace_current;

/* The port calls this before it records a failed read. */
void trace_fault(struct trace *t);

/* The walk functions, one for each architecture (walk.c). */
void trace_walk_x86_64(struct uw_state *u, const struct sim_target *target);
void trace_walk_arm64(struct uw_state *u, const struct sim_target *target);
