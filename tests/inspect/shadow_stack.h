/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The true stack of a single-stepped thread: a call pushes a return address and a return pops it.
 * Calls and returns are recognized by the executed instructions (shadow_x86_64.c, shadow_arm64.c),
 * not by frames.
 *
 * Code that replaces frames (deoptimization makes several frames from one) returns to addresses
 * that no call has pushed. From then on the shadow stack is invalid (lost), until a return leads to
 * the return address of a known call.
 */

#include "../../core/uw_state.h"

#define SHADOW_MAX 4096
#define SHADOW_MAX_INSN 15

struct shadow_stack {
	struct {
		u64 addr; /* stack slot of ra; arm64: sp at the call; ~0: unknown (initial entry) */
		u64 ra;
		bool is_popped; /* the return address is in a register */
	} entries[SHADOW_MAX];
	u32 n;
	bool is_lost;
	u32 n_trusted; /* while the stack is lost: number of entries that are still valid */
	u32 n_lost; /* number of times that the stack was lost */
};

/* The effect of an instruction on the stack. */
enum shadow_insn { SHADOW_OTHER, SHADOW_CALL, SHADOW_RET, SHADOW_POP, SHADOW_LOAD, SHADOW_JUMP };
enum shadow_insn shadow_classify(const u8 *insn);

/* Restarts the shadow stack with the @n return addresses @ras, innermost first. */
void shadow_begin(struct shadow_stack *s, const u64 *ras, u32 n);

/* Returns the return address at the first instruction of a function. @top: the word at sp. */
u64 shadow_called_from(const struct uw_regs *regs, u64 top);

/* Returns the address from which @insn loads a possible return address; 0: it loads none. */
u64 shadow_loads_from(enum shadow_insn insn, const struct uw_regs *before);

/*
 * Updates the stack after one executed instruction. @top: the word at sp after the instruction;
 * @loaded: the word that the instruction has loaded.
 */
void shadow_step(struct shadow_stack *s, enum shadow_insn insn, const struct uw_regs *before,
		 const struct uw_regs *after, u64 top, u64 loaded);

/* Updates the stack after the innermost call ran to its return without being single-stepped. */
void shadow_return(struct shadow_stack *s, const struct uw_regs *after);

/* Drops entries below sp, unless their return address is in a register. For shadow_ARCH.c. */
void shadow_drop_dead(struct shadow_stack *s, u64 sp);
void shadow_push(struct shadow_stack *s, u64 addr, u64 ra);
/*
 * Pops the entry with return address @pc. Frames below sp are dead. So if the matching entry is
 * further out, several frames were left at once.
 */
void shadow_pop(struct shadow_stack *s, u64 pc, u64 sp);

/* Returns the @i-th return address, innermost first; 0: there is none. */
u64 shadow_ra(const struct shadow_stack *s, u32 i);
