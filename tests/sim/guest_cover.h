/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The instructions that a guest executes, and those that have an effect: that change
 * a register other than pc and the flags, or the contents of memory. A mask on a
 * valid index and a store of zero over zero have no effect.
 */

#include "../../sim/engine/guest.h"

struct guest_insn {
	u8 len; /* 0: nothing was executed at this offset */
	bool has_effect;
};

struct guest_cover {
	struct guest_insn *insns; /* by offset in the image; owned by the caller */
	size_t len;
	bool is_arm64;
	u32 last; /* offset of the previous instruction */
	bool has_last;
	u64 regs[32]; /* registers before that instruction */
};

/* Records until the session ends. 0 or -EIO. */
int guest_cover_begin(struct guest_cover *c, struct sim_session *session);

/*
 * The effects of one walk of a guest: the memory that it requests, and the sample in
 * its memory. Read from Unicorn, not through the engine.
 */
struct guest_trace {
	u64 reads; /* hash of addresses and lengths of the current walk */
	bool is_arm64;
};

/* Traces until the session ends. 0 or -EIO. */
int guest_trace_begin(struct guest_trace *t, struct sim_session *session);

/*
 * Call after a walk. Return: a hash of all effects; resets the trace for the next
 * walk.
 */
u64 guest_trace_take(struct guest_trace *t, struct sim_session *session);

/* Fills the state of a guest's walk with garbage, as if left by another walk. */
void guest_foul(struct sim_session *session, u8 byte);
