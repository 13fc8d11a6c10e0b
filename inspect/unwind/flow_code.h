/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The instructions of a segment, and the effect of each on the stack and the control flow. */

#include "../../core/native/row.h"
#include "../elf/elf_file.h"

#define FLOW_NO_TARGET (-1)
#define FLOW_NO_SCRATCH (-1)
#define FLOW_NO_WORD (-1)

enum flow_op {
	FLOW_OTHER,
	FLOW_NOP,
	FLOW_PUSH, /* pushes register scratch; if that is FLOW_NO_SCRATCH, the word at sp + arg; if
		    * arg is FLOW_NO_WORD, anything else */
	FLOW_PUSH_FP,
	FLOW_POP, /* pop to scratch */
	FLOW_POP_FP,
	FLOW_SP_ADD, /* sp += arg */
	FLOW_SP_FROM_FP, /* sp = fp + arg */
	FLOW_FP_FROM_SP, /* fp = sp + arg */
	FLOW_SCRATCH_FROM_SP, /* scratch = sp */
	FLOW_SP_LOST,
	FLOW_FP_LOST,
	FLOW_FP_ZERO,
	FLOW_LEAVE,
	FLOW_CALL, /* arg: target, as offset in the segment, or FLOW_NO_TARGET */
	FLOW_BRANCH, /* jumps to arg (as of FLOW_CALL), or continues at the next instruction */
	FLOW_JUMP, /* jumps to arg (as of FLOW_CALL) */
	FLOW_RET,
	FLOW_STOP, /* a trap: nothing follows */
	FLOW_STORE, /* sp += arg; then stores fp at sp + 8 * fp_at, lr at sp + 8 * ra_at */
	FLOW_LOAD, /* loads fp from sp + 8 * fp_at, lr from sp + 8 * ra_at; then sp += arg */
	FLOW_LR_LOST,
};

struct flow_insn {
	u32 off; /* offset in the segment */
	s32 arg;
	s16 fp_at, ra_at; /* in words; valid if has_fp, has_ra */
	u8 len, op;
	bool has_fp : 1, has_ra : 1;
	bool is_entry : 1; /* a function starts here */
	bool may_be_entry : 1; /* the address is taken, so this is a function or the target of a
				* jump */
	bool is_noreturn : 1; /* the function that begins here never returns */
	bool is_address : 1; /* takes the address arg; op may also be FLOW_SP_LOST or
			      * FLOW_FP_LOST */
	bool is_indirect : 1; /* a jump through a register or table */
	bool writes_memory : 1; /* this and the next two members: x86-64 only */
	bool writes_at_sp : 1; /* writes a word at sp + index register */
	bool writes_above_sp : 1; /* writes a word at sp + a displacement that is not 0 */
	s8 scratch; /* enum uw_scratch, or FLOW_NO_SCRATCH: another register */
	u8 writes_scratch; /* registers that a FLOW_OTHER writes, one bit each */
};

struct flow_code {
	struct flow_insn *insns;
	u32 n;
};

/*
 * Decodes consecutive instructions; the first byte is at @addr. Skips bytes that are not an
 * instruction. Return: 0, -ENOMEM or -ENOTSUP.
 */
int flow_code_x86_64(struct flow_code *c, const u8 *bytes, u32 len, u64 addr);
int flow_code_arm64(struct flow_code *c, const u8 *bytes, u32 len, u64 addr);
void flow_code_deinit(struct flow_code *c);

/* The instruction that starts at @off, or NULL. */
struct flow_insn *flow_code_at(const struct flow_code *c, u32 off);

/* Whether the next instruction in the order of addresses may follow this one. */
bool flow_code_goes_on(const struct flow_code *c, u32 i);

/*
 * Sets @next to the possible successors: the target of a jump, then the next instruction. Returns
 * their number.
 */
u32 flow_code_successors(const struct flow_code *c, u32 i, u32 next[2]);
