/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Hooks by which a walk records events in the flight recorder. A port calls them from port_note()
 * and port_read_user(). The include path (flight.h) selects whether the hooks are compiled in, and
 * FLIGHT_BUILT selects the classes of events. A decision event costs a load even while its class is
 * off, and a walk makes about a dozen decisions per frame, so kernel programs are built without
 * this class.
 *
 *	port_note()       -> step       one for each frame: the frame's registers, and the last
 *	                                frame's identity and rule
 *	                     decision   all notes
 *	                     miss       notes that a table lacks an entry
 *	                     refused    notes that a value is impossible
 *	port_read_user()  -> read, fault
 */

#include "flight.h"
#include "uw_note.h"
#include "uw_state.h"

/*
 * The detail of a step event describes the previous frame; the detail of an end event describes the
 * last frame. Bits 0..7 are the frame's kind.
 */
#define FLIGHT_STEP_STATUS_SHIFT 8 /* the frame's enum uw_status */
#define FLIGHT_STEP_FLAGS_SHIFT 16 /* the frame's enum uw_frame_flags */
#define FLIGHT_STEP_RULE_SHIFT 24 /* enum flight_rule by which the frame's caller was found */

/*
 * Records an event of three words. The caller has checked that the class of the event is on.
 * FLIGHT_COLD decides whether this function is inlined.
 */
FLIGHT_COLD int flight_put3(u32 event, u32 detail, u64 first, u64 second, u64 third)
{
	u64 d[] = { first, second, third };
	struct flight_ring *r = flight_ring();

	if (r && r->recording)
		flight_put(r, event, FLIGHT_NO_TIME | (u64)detail << 32, d, 3);
	return 0;
}

/* Returns the frame that is @back frames before the last frame of the sample. */
UW_INLINE const struct uw_frame *flight_frame(const struct uw_sample *s, u32 back)
{
	return &s->frames[port_index(s->n_frames - 1u - back, UW_MAX_FRAMES - 1)];
}

UW_INLINE u32 flight_frame_detail(const struct uw_frame *f)
{
	return f->kind | (u32)f->status << FLIGHT_STEP_STATUS_SHIFT |
	       (u32)f->flags << FLIGHT_STEP_FLAGS_SHIFT;
}

/*
 * Records the registers that a step starts from, and the result of the previous step. Recording
 * each step at its end would cost more while the class is off, because the walk would keep the
 * step's data until then.
 */
UW_INLINE void flight_walk_step(const struct uw_state *u)
{
	const struct uw_frame *last;
	bool is_first;

	if (!flight_on(FLIGHT_STEP))
		return;
	asm volatile("" ::: "memory"); /* otherwise clang loads the whole frame before the test */
	last = flight_frame(&u->sample, 1);
	is_first = u->sample.n_frames < 2;
	flight_event(FLIGHT_STEP, FLIGHT_START,
		     is_first ? 0
			      : flight_frame_detail(last) | (u32)u->found_by
								    << FLIGHT_STEP_RULE_SHIFT,
		     (u64[]){ u->regs.pc, u->regs.sp, u->regs.fp, is_first ? 0 : last->a,
			      is_first ? 0 : last->b },
		     5);
}

/*
 * Returns the rule for a note. The last note of a step that has a rule determines how the caller
 * was found.
 */
UW_INLINE enum flight_rule flight_rule_of(enum uw_note note)
{
	switch (note) {
	case UW_NOTE_ROW:
		return FLIGHT_BY_ROW;
	case UW_NOTE_RECORD:
		return FLIGHT_BY_RECORD;
	case UW_NOTE_RA_SLOT:
		return FLIGHT_BY_INSN;
	case UW_NOTE_SIGNAL:
		return FLIGHT_BY_SIGNAL;
	case UW_NOTE_DOTNET_EPILOGUE:
		return FLIGHT_BY_EPILOGUE;
	case UW_NOTE_DOTNET_UNWIND:
		return FLIGHT_BY_UNWIND;
	case UW_NOTE_V8_DEOPT:
		return FLIGHT_BY_DEOPT;
	default:
		return FLIGHT_BY_NOTHING;
	}
}

/*
 * Records everything that the next step depends on, except for scratch registers other than
 * r10, so that a walk can be reconstructed from the entries alone.
 */
UW_INLINE void flight_walk_decision(const struct uw_state *u, enum uw_note note, u64 value)
{
	u64 d[] = { note,
		    value,
		    u->regs.pc,
		    u->regs.sp,
		    u->regs.fp,
		    u->regs.lr,
		    u->regs.scratch[UW_R10],
		    u->stack_low,
		    u->sp_known };

	flight_event(FLIGHT_DECISION, FLIGHT_START, u->sample.n_frames, d, 9);
}

/**
 * flight_walk_note() - to be called by port_note()
 * @note:	constant
 */
UW_INLINE void flight_walk_note(const struct uw_state *u, enum uw_note note, u64 value)
{
	enum flight_rule rule = flight_rule_of(note);

	if (FLIGHT_BUILT >> FLIGHT_DECISION & 1)
		flight_walk_decision(u, note, value);
	/*
	 * Always store found_by, because testing the mask would cost as much. The walk never reads
	 * found_by.
	 */
	if (FLIGHT_BUILT >> FLIGHT_STEP & 1 && rule)
		((struct uw_state *)u)->found_by = (u8)rule;
	switch (note) {
	case UW_NOTE_STEP:
		flight_walk_step(u);
		break;
	case UW_NOTE_BLIND:
	case UW_NOTE_MAP_NONE:
	case UW_NOTE_V8_NO_INFO:
	case UW_NOTE_NO_ROW:
		if (flight_on(FLIGHT_MISS) && (note != UW_NOTE_BLIND || u->is_top))
			flight_put3(FLIGHT_MISS, note, u->regs.pc, u->map.module, value);
		break;
	case UW_NOTE_NO_FP:
	case UW_NOTE_FP_REFUSED:
	case UW_NOTE_RA_REFUSED:
	case UW_NOTE_CFA_REFUSED:
		if (flight_on(FLIGHT_REFUSED))
			flight_put3(FLIGHT_REFUSED, note, u->regs.pc, u->map.module, value);
		break;
	default:
		break;
	}
}

/* To be called by port_read_user(). @dst holds the data read. */
UW_INLINE void flight_walk_read(const void *dst, u32 len, u64 addr, long err)
{
	if (FLIGHT_BUILT >> FLIGHT_READ & 1) {
		u64 d[5] = { addr, len, (u64)err };

		for (u32 i = 0; i < FLIGHT_READ_BYTES && i < len; i++)
			d[3 + i / 8] |= (u64)((const u8 *)dst)[i] << i % 8 * 8;
		flight_event(FLIGHT_READ, FLIGHT_START, 0, d, 5);
	}
	if (err && flight_on(FLIGHT_FAULT))
		flight_put3(FLIGHT_FAULT, 0, addr, len, (u64)err);
}

/* Records the end of a walk; before that, a limit event if the walk reached the maximum depth. */
UW_INLINE void flight_walk_end(const struct uw_sample *s)
{
	if (s->status == UW_T_DEPTH && flight_on(FLIGHT_LIMIT))
		flight_put3(FLIGHT_LIMIT, 0, s->status, s->n_frames, 0);
	if (flight_mask())
		flight_end(s->status, s->n_frames, s->fault_addr, s->n_reads,
			   flight_frame_detail(flight_frame(s, 0)));
}
