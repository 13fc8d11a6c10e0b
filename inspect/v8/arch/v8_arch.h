/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Interface to the code for one architecture: it recognizes instructions of compiled code, and
 * analyzes builtins for unwind rows (v8_rows.c) and bytecode handlers. Private to inspect/v8.
 */

#include <stdint.h>

#include "../../../core/uw_frame.h"
#include "../../unwind/data_flow.h"
#include "../../unwind/flow_code.h"
#include "../../unwind/rules.h"

/* ---- instructions ---- */

enum v8_insn_kind {
	V8_INSN_EXIT, /* a deoptimization exit, up to the end of its call */
	V8_INSN_NUMBERED_EXIT, /* an exit whose operand is a deoptimization point */
	V8_INSN_JUMP, /* a conditional or unconditional jump to the operand */
	V8_INSN_LAST_JUMP, /* the jump that ends deferred code, with the trap after it */
	V8_INSN_END, /* an instruction after which execution does not continue */
	V8_INSN_TRAP,
	V8_INSN_CALL, /* calls its operand */
	V8_INSN_CALL_REG, /* calls the address that V8_INSN_SET_REG or V8_INSN_LOAD_REG loads */
	V8_INSN_SET_REG,
	V8_INSN_LOAD_REG, /* loads from the address that is the operand */
	V8_INSN_BUILD_FRAME,
	V8_INSN_LOAD_FRAME, /* loads the return address and the caller's fp */
	V8_INSN_SAVE_SP, /* first half of an alignment of sp */
	V8_INSN_ALIGN_SP, /* second half */
	V8_INSN_RESTORE_SP,
	V8_N_INSNS
};

#define V8_INSN_FORMS 3

/* One encoding of a kind of instruction. */
struct v8_insn {
	u64 bytes, mask; /* first bytes of the instruction, lowest first; bits that must match */
	u8 len; /* 0: no form */
	u8 operand_off; /* in bytes */
	u8 operand_bits; /* 64: a number; less: a distance */
	u8 operand_shift; /* of a distance */
	bool is_from_end; /* a distance is relative to the end of the instruction */
};

struct v8_arch;

/*
 * Returns the form of @kind that begins at @off of @text (for v8_insn_before(): ends there), or
 * NULL.
 */
const struct v8_insn *v8_insn_at(const struct v8_arch *arch, enum v8_insn_kind kind, const u8 *text,
				 u32 len, u32 off);
const struct v8_insn *v8_insn_before(const struct v8_arch *arch, enum v8_insn_kind kind,
				     const u8 *text, u32 len, u32 off);

/* Returns the operand of an instruction. @text: the instruction's bytes; @addr: its address. */
u64 v8_insn_operand(const struct v8_insn *insn, const u8 *text, u64 addr);

/* ---- rows of builtins ---- */

/* A builtin's instructions. */
struct v8_row_text {
	struct flow_code code;
	const u8 *bytes;
	u32 len;
};

/* The state before a builtin's first instruction. */
enum v8_row_start {
	V8_ROW_CALLED,
	V8_ROW_PUSHED, /* called by a function before its frame exists; counts as that function */
	V8_ROW_FRAMED, /* uses the frame of the function that the builtin works for */
	V8_N_ROW_STARTS,
};

/* The rule of code with V8's frame record, on all architectures: cfa = fp + 16. */
extern const struct uw_rule v8_rule_framed;

/* ---- bytecode handlers ---- */

#define V8_ABSENT INT8_MAX

/*
 * The places that contain the bytecode offset. The value of an s8 member is the word in its place
 * minus the bytecode offset; V8_ABSENT means that the place does not contain the offset.
 */
struct v8_place {
	bool in_slot; /* the slot in the function's frame has the offset, or the prefix's offset */
	s8 in_register; /* r9 */
	s8 saved[V8_SAVED_WORDS]; /* words of the handler's own frame, starting at V8_SAVED_SLOT */
};

/* ---- all of it ---- */

struct v8_arch {
	struct v8_insn insns[V8_N_INSNS][V8_INSN_FORMS];
	bool knows_exits; /* @insns has all exits, and all jumps to exits and deferred code */
	/*
	 * Returns the target of the jump that ends deferred code, or 0 if there is no such jump in
	 * the @len bytes. Only instructions that load registers precede the jump. The member is
	 * NULL if the jump is always the first instruction.
	 */
	u64 (*jump_back)(const u8 *text, u32 len, u64 addr);

	size_t state_size; /* state_size, transfer and join are as in struct data_flow_ops */
	const void *start[V8_N_ROW_STARTS];
	int (*decode)(struct flow_code *c, const u8 *bytes, u32 len, u64 addr);
	bool (*transfer)(const void *text, u32 i, void *state);
	enum data_flow_join (*join)(const void *text, u32 i, void *old, const void *now,
				    enum data_flow_when when);
	/*
	 * Sets the states of code that the analysis did not reach, going backwards from the
	 * builtin's exits. Optional.
	 */
	void (*follow_exits)(const struct v8_row_text *text, void *states);
	/*
	 * Gets the rule at instruction @i, from the @state before it. Returns false if there is no
	 * rule.
	 */
	bool (*rule)(const struct v8_row_text *text, u32 i, const void *state,
		     struct uw_rule *rule);

	/**
	 * handler_places() - find the bytecode offset at each instruction of a handler
	 * @code:	the handler's instructions
	 * @len:	their bytes
	 * @slot_off:	bytes from the slot up to the function's fp
	 * @places:	array of @len entries, which is filled; all bytes of an instruction get the
	 *		same entry
	 *
	 * Optional. If the bytecode is a jump whose distance is its operand, r9 may have only the
	 * offset of the next bytecode, from which the jump's own offset cannot be computed; in this
	 * case, @places gives the offset of the next bytecode. Takes about 1 us for each
	 * instruction.
	 *
	 * Return: 0, -ENOMEM or -ENOTSUP.
	 */
	int (*handler_places)(const u8 *code, u32 len, u32 slot_off, struct v8_place *places);
};
