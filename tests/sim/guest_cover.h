/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which instructions a guest executes, and which of them do something: change a register other
 * than pc and the flags, or what memory holds there. A mask that keeps a valid index in bounds, or
 * a zero that is stored where zero is, does nothing.
 */

#include "../../sim/engine/guest.h"

struct guest_insn {
	u8 len; /* 0: none was executed at this offset */
	bool has_effect;
};

struct guest_cover {
	struct guest_insn *insns; /* by offset in the image; the caller's */
	size_t len;
	bool is_arm64;
	u32 last; /* offset of the instruction before this one */
	bool has_last;
	u64 regs[32]; /* before it */
};

/* Records from now on; until the session ends. 0 or -EIO. */
int guest_cover_begin(struct guest_cover *c, struct sim_session *session);

/*
 * What a guest does for one walk: the memory that it asks for, and the sample as it lies in its
 * memory. Taken from Unicorn, not by way of the engine.
 */
struct guest_trace {
	u64 reads; /* hash of addresses and lengths, of the walk under way */
	bool is_arm64;
};

/* Until the session ends. 0 or -EIO. */
int guest_trace_begin(struct guest_trace *t, struct sim_session *session);

/* A hash of all of it, after a walk; the next walk begins. */
u64 guest_trace_take(struct guest_trace *t, struct sim_session *session);

/* Fills the state of a guest's walk, as of a walk that left something else. */
void guest_foul(struct sim_session *session, u8 byte);
