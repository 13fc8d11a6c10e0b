/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The true stack of a thread that is single-stepped: a call puts a return address
 * on it, a return takes it off, by what the instructions did and not by any frame
 * (shadow_x86_64.c, shadow_arm64.c).
 *
 * Who changes frames by hand (deoptimization
 * builds several out of one) returns to where nobody called from: the stack is
 * then lost until a return leads to a call that is known.
 */

#include "../../core/uw_state.h"

#define SHADOW_MAX 4096
#define SHADOW_MAX_INSN 15

struct shadow_stack {
	struct {
		u64 addr; /* where it lies, arm64: sp of the call; ~0: of a frame seen first */
		u64 ra;
		bool is_popped; /* it is in a register */
	} entries[SHADOW_MAX];
	u32 n;
	bool is_lost;
	u32 n_trusted; /* while it is lost: so many entries are good */
	u32 n_lost; /* how often */
};

/* What an instruction does, as far as a stack is concerned. */
enum shadow_insn { SHADOW_OTHER, SHADOW_CALL, SHADOW_RET, SHADOW_POP, SHADOW_LOAD, SHADOW_JUMP };
enum shadow_insn shadow_classify(const u8 *insn);

/* Starts anew with the @n return addresses @ras, innermost first. */
void shadow_begin(struct shadow_stack *s, const u64 *ras, u32 n);

/* The return address of a function on its first instruction; @top is the word at sp. */
u64 shadow_called_from(const struct uw_regs *regs, u64 top);

/* Where an instruction reads a word that may be a return address; 0: nowhere. */
u64 shadow_loads_from(enum shadow_insn insn, const struct uw_regs *before);

/* One instruction was executed; @top is the word at sp after it, @loaded what it read. */
void shadow_step(struct shadow_stack *s, enum shadow_insn insn, const struct uw_regs *before,
		 const struct uw_regs *after, u64 top, u64 loaded);

/* The innermost call returned, unseen. */
void shadow_return(struct shadow_stack *s, const struct uw_regs *after);

/* For those that step: what lies below sp is gone, unless it is in a register. */
void shadow_drop_dead(struct shadow_stack *s, u64 sp);
void shadow_push(struct shadow_stack *s, u64 addr, u64 ra);
/* A frame's memory is dead once sp is above: a match deeper down is a return past others. */
void shadow_pop(struct shadow_stack *s, u64 pc, u64 sp);

/* The @i-th return address from the innermost on; 0: there is none. */
u64 shadow_ra(const struct shadow_stack *s, u32 i);
