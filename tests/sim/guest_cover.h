/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Records the instructions that a guest executes, and which of them have an effect, i.e.
 * change memory, or a register other than pc and the flags. A mask on a valid index, for
 * example, and a store of zero over zero have no effect.
 */

#include "../../sim/engine/guest.h"

struct guest_insn {
	u8 len; /* length of the instruction at this offset; 0: none was executed */
	bool has_effect;
};

struct guest_cover {
	struct guest_insn *insns; /* index: offset in the image; owned by the caller */
	size_t len;
	bool is_arm64;
	u32 last; /* offset of the instruction that was executed last */
	bool has_last;
	u64 regs[32]; /* registers before that instruction */
};

/* Records until the session ends. Return: 0 or -EIO. */
int guest_cover_begin(struct guest_cover *c, struct sim_session *session);

/*
 * The effects of one walk of a guest: the memory that the guest requests, and the sample in
 * the guest's memory. These effects are read from Unicorn, not through the
 * engine.
 */
struct guest_trace {
	u64 reads; /* hash of the addresses and lengths that this walk has requested so far */
	bool is_arm64;
};

/* Traces until the session ends. Return: 0 or -EIO. */
int guest_trace_begin(struct guest_trace *t, struct sim_session *session);

/* Must be called after each walk. Return: a hash of all effects of the walk. Resets the trace. */
u64 guest_trace_take(struct guest_trace *t, struct sim_session *session);

/* Fills the state of a guest's walk with garbage, as another walk might have left it. */
void guest_foul(struct sim_session *session, u8 byte);
