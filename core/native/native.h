/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwinds native frames by unwind rows, and code without a row by frame records. Runtimes whose
 * code keeps frame records also use fp_step(). If a native function has no row, it need not keep a
 * frame record either, so a caller found by the record is a guess.
 */

#include "row_step.h"

/* No stack is below this address; a smaller fp is not a frame pointer. */
#define FP_MIN 4096

/**
 * uw_find_mapping() - set u->map to the mapping that contains a pc
 *
 * Return: false if the process's tables have no such mapping (u->map is unchanged).
 */
UW_INLINE bool uw_find_mapping(struct uw_state *u, u64 pc)
{
	const struct uw_mapping *m;

	if (pc - u->map.start_addr < u->map.end_addr - u->map.start_addr) {
		port_note(u, UW_NOTE_MAP_SAME, u->map.start_addr);
		return true;
	}
	m = port_mapping(u, pc);
	if (!m) {
		port_note(u, UW_NOTE_MAP_NONE, pc);
		return false;
	}
	u->map = *m;
	port_note(u, UW_NOTE_MAP_FOUND, u->map.start_addr);
	return true;
}

/* Same as fp_check(), but emits no note. */
UW_INLINE enum uw_status fp_verdict(const struct uw_state *u)
{
	u64 fp = u->regs.fp;

	if (fp & 7)
		return UW_E_FP_UNALIGNED;
	if (fp < u->stack_low)
		return UW_E_FP_BELOW_SP;
	if (fp - u->stack_low > UW_MAX_FRAME_LEN)
		return UW_E_FRAME_SIZE;
	return UW_OK;
}

/**
 * fp_check() - can regs.fp point to a frame record?
 *
 * Return: UW_OK, UW_E_FP_UNALIGNED, UW_E_FP_BELOW_SP, UW_E_FRAME_SIZE.
 */
UW_INLINE enum uw_status fp_check(const struct uw_state *u)
{
	enum uw_status err = fp_verdict(u);

	if (err)
		port_note(u, UW_NOTE_FP_REFUSED, u->regs.fp);
	return err;
}

/**
 * fp_step() - unwind one frame by its frame record
 * @u:		walk state
 * @flags:	UW_FRAME_GUESS if the code need not keep a frame record, else 0
 *
 * Both ABIs keep { caller fp, return address } at fp, so both architectures share this rule:
 *
 *	ra = *(fp + 8); fp = *(fp)
 *
 * Reads 16 bytes at regs.fp.
 *
 * Return: UW_OK, UW_T_NO_FP or UW_E_*. Unless the result is UW_OK, regs are unchanged.
 */
UW_INLINE enum uw_status fp_step(struct uw_state *u, u8 flags)
{
	u64 fp = u->regs.fp, ra;
	enum uw_status err;
	const u8 *record;

	if (fp < FP_MIN) {
		port_note(u, UW_NOTE_NO_FP, fp);
		return UW_T_NO_FP;
	}
	err = fp_check(u);
	if (err)
		return err;
	record = uw_window(u, fp, 16);
	if (!record)
		return UW_E_FAULT;
	port_note(u, UW_NOTE_RECORD, fp);
	port_note(u, UW_NOTE_RECORD_RA, uw_word(record + 8));
	ra = arch_strip_ra(uw_word(record + 8), u->va_mask);
	if (!uw_is_user_pc(u, ra)) {
		port_note(u, UW_NOTE_RA_REFUSED, ra);
		return UW_E_BAD_RA;
	}
	u->regs.fp = uw_word(record);
	u->regs.pc = ra;
	u->stack_low = fp + 16;
	arch_set_caller_sp(u, fp);
	u->next_flags = UW_FRAME_RA | flags;
	port_note(u, UW_NOTE_CALLER, ra);
	return UW_OK;
}

/* Result of decoding the interrupted instruction. */
enum top_result {
	TOP_HAS_FRAME, /* judging by this instruction, the record at fp may be the function's */
	TOP_STEPPED, /* the function has no record; regs are now the caller's */
	TOP_UNREADABLE, /* a read failed; the record at fp may be another function's */
};

/* Reads the instruction at pc, or only the instruction's first byte if the rest is unreadable. */
UW_INLINE bool top_read_insn(struct uw_state *u, u32 *insn)
{
	u8 first;

	if (read_user(u, insn, u->regs.pc)) {
		if (read_user(u, &first, u->regs.pc)) {
			port_note(u, UW_NOTE_INSN_FAULT, u->regs.pc);
			return false;
		}
		*insn = first;
	}
	port_note(u, UW_NOTE_INSN, *insn);
	return true;
}

/**
 * top_leave() - unwind an interrupted function that has no frame record
 * @slot:	location of the return address, as arch_ra_slot() returns it
 *
 * Accepts a return address only if a known mapping contains it, because in code without frame
 * pointers the same instructions have another meaning. Does not change regs.fp, which still has the
 * caller's fp.
 */
UW_INLINE enum top_result top_leave(struct uw_state *u, int slot, u8 flags)
{
	u64 ra = slot <= ARCH_RA_IN_SCRATCH ? uw_scratch(u, (u32)(ARCH_RA_IN_SCRATCH - slot))
					    : u->regs.lr;

	port_note(u, UW_NOTE_RA_SLOT, (u32)slot);
	if (slot == ARCH_RA_IN_FRAME)
		return TOP_HAS_FRAME;
	if (slot >= 0 && read_user(u, &ra, u->regs.sp + (u64)slot)) {
		port_note(u, UW_NOTE_RA_FAULT, u->regs.sp + (u64)slot);
		return TOP_UNREADABLE;
	}
	ra = arch_strip_ra(ra, u->va_mask);
	if (!uw_is_user_pc(u, ra) || !uw_find_mapping(u, ra - 1)) {
		port_note(u, UW_NOTE_RA_NO_CODE, ra);
		return TOP_HAS_FRAME;
	}
	if (slot < 0)
		u->sp_known = false; /* at some of these instructions, sp has already changed */
	else
		u->regs.sp += (u64)slot + 8;
	u->regs.pc = ra;
	u->next_flags = UW_FRAME_RA | flags;
	port_note(u, UW_NOTE_CALLER, ra);
	return TOP_STEPPED;
}

/**
 * top_step() - unwind an interrupted function by the instruction at pc
 * @u:		walk state, with the interrupted function's regs
 */
UW_INLINE enum top_result top_step(struct uw_state *u, u8 flags)
{
	u32 insn;

	if (!top_read_insn(u, &insn))
		return TOP_UNREADABLE;
	return top_leave(u, arch_ra_slot(insn), flags);
}

/*
 * If the interrupted instruction shows that there is no frame record, unwinds by the instruction,
 * else by the record at fp.
 */
UW_INLINE enum uw_status native_guess(struct uw_state *u, u8 flags)
{
	if (u->is_top && top_step(u, flags) == TOP_STEPPED)
		return UW_OK;
	return fp_step(u, flags);
}

/* Identifies a native frame by module and offset; native code has no other identity. */
UW_INLINE void native_identify(struct uw_state *u, struct uw_frame *f)
{
	port_note(u, UW_NOTE_NATIVE, u->map.module);
	f->kind = UW_NATIVE;
	f->aux = u->map.module;
	f->a = f->pc - u->map.start_addr + u->map.file_off;
}

/**
 * native_row() - look up the unwind rule for a frame's code
 * @f:	the frame; its flags get UW_FRAME_NO_ROWS if the rows of its page of code are not loaded
 *
 * Return: the rule, or NULL.
 */
UW_INLINE const struct uw_rule *native_row(struct uw_state *u, struct uw_frame *f)
{
	u64 off = uw_frame_lookup_pc(f) - u->map.start_addr + u->map.file_off;
	const struct uw_rule *r = NULL;

	if (!u->map.module || off >= UW_MAX_ROW_OFF)
		return NULL;
	r = port_row(u, u->map.module, off);
	if (!r) {
		port_note(u, UW_NOTE_NO_ROWS, off);
		f->flags |= UW_FRAME_NO_ROWS;
	}
	return r;
}

/**
 * native_step() - unwind a frame by its rule, or without a rule
 * @u:		walk state; u->map is the mapping of f->pc
 * @f:		the frame
 * @r:		the frame's rule, or NULL
 * @flags:	UW_FRAME_GUESS if, without a rule, the code need not keep a frame record; else 0
 *
 * If a guess fails, the status is UW_T_NO_ROW or UW_T_ROWS_PENDING and not an error, because the
 * stack itself may be intact.
 *
 * Return: UW_OK if regs are the caller's, or the reason why the walk ends here.
 */
UW_INLINE enum uw_status native_step(struct uw_state *u, struct uw_frame *f,
				     const struct uw_rule *r, u8 flags)
{
	enum uw_status status = r ? row_step(u, r) : UW_T_NO_ROW;

	if (status != UW_T_NO_ROW)
		return status;
	port_note(u, UW_NOTE_NO_ROW, f->a);
	u->is_hijacked |= r && r->cfa == UW_CFA_HIJACKED;
	status = native_guess(u, flags);
	if (status == UW_OK || !flags)
		return status;
	return f->flags & UW_FRAME_NO_ROWS ? UW_T_ROWS_PENDING : UW_T_NO_ROW;
}
