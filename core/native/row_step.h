/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwinds a native frame by the rule of its unwind row. The rule gives the caller's stack
 * pointer before the call (CFA) and the registers at fixed distances from it:
 *
 *	cfa              the caller's frame
 *	cfa + ra_off     return address    unless it is still in lr
 *	cfa + fp_off     caller's fp       unless it is still in fp
 *	sp               ...
 *
 * The walk does not trust rules, because they come from a file. A step only moves up the
 * stack, by at most UW_MAX_FRAME_LEN. If the register that a rule is based on is
 * unknown, the step returns UW_T_NO_ROW and changes nothing.
 */

#include <arch.h>

#include "../uw_read.h"

/* Can @pc be an address of user code? */
UW_INLINE bool uw_is_user_pc(const struct uw_state *u, u64 pc)
{
	return pc >= UW_PAGE_LEN && pc <= u->va_mask;
}

/* Returns scratch register @i of the interrupted function, or 0 if there is no such register. */
UW_INLINE u64 uw_scratch(const struct uw_state *u, u32 i)
{
	return i < UW_N_SCRATCH ? u->regs.scratch[port_index(i, 7)] : 0;
}

/*
 * Is sp unknown (arm64), although fp points to the function's frame record? The rule shows that fp
 * points to the record if the rule finds the caller's fp and the return address in adjacent words,
 * as in a frame record.
 */
UW_INLINE bool row_record_at_fp(const struct uw_state *u, const struct uw_rule *r)
{
	u64 fp = u->regs.fp;

	return !u->sp_known && r->ra == UW_SAVED_CFA && r->fp == UW_SAVED_CFA &&
	       r->ra_off == r->fp_off + 8 && !(fp & 7) && fp - u->stack_low <= UW_MAX_FRAME_LEN;
}

/* Are all registers that the rule needs known? */
UW_INLINE bool row_is_usable(const struct uw_state *u, const struct uw_rule *r)
{
	if (r->ra != UW_SAVED_CFA &&
	    (!u->is_top || (r->ra != UW_SAVED_SAME && r->ra != UW_SAVED_SCRATCH)))
		return false;
	switch (r->cfa) {
	case UW_CFA_FP:
	case UW_CFA_AT_FP:
	case UW_CFA_FP_OTHER_STACK:
		return true;
	case UW_CFA_SCRATCH:
		return u->is_top;
	case UW_CFA_SP:
	case UW_CFA_AT_SP:
	case UW_CFA_PLT:
		return u->sp_known;
	default:
		return false;
	}
}

/**
 * row_cfa() - compute the CFA by a rule for which row_is_usable() is true
 *
 * Return: UW_OK, UW_E_FAULT, UW_E_CFA.
 */
UW_INLINE enum uw_status row_cfa(struct uw_state *u, const struct uw_rule *r, u64 *out)
{
	bool by_fp = r->cfa == UW_CFA_FP || r->cfa == UW_CFA_AT_FP ||
		     r->cfa == UW_CFA_FP_OTHER_STACK;
	u64 base = by_fp		      ? u->regs.fp
		   : r->cfa == UW_CFA_SCRATCH ? uw_scratch(u, (u8)r->cfa_add)
					      : u->regs.sp;
	u64 cfa = base + (u64)(s64)r->cfa_off;

	if (r->cfa == UW_CFA_AT_SP || r->cfa == UW_CFA_AT_FP) {
		const u8 *word = uw_window(u, cfa, 8);

		if (!word)
			return UW_E_FAULT;
		cfa = uw_word(word) + (u64)(s64)r->cfa_add;
	} else if (r->cfa == UW_CFA_PLT && (s64)(u->regs.pc & 15) >= r->cfa_add) {
		cfa += 8;
	}
	*out = cfa;
	return UW_OK;
}

/*
 * Checks that the caller's frame is above the callee's, unless the caller is on another stack. Only
 * the frame of a leaf function that saves nothing can be empty.
 */
UW_INLINE enum uw_status row_check_cfa(const struct uw_state *u, const struct uw_rule *r, u64 cfa)
{
	u64 up = cfa - u->stack_low;

	if (!(cfa & 7) && (r->cfa == UW_CFA_FP_OTHER_STACK ||
			   (cfa >= u->stack_low && up <= UW_MAX_FRAME_LEN && (up || u->is_top))))
		return UW_OK;
	port_note(u, UW_NOTE_CFA_REFUSED, cfa);
	return UW_E_CFA;
}

/**
 * row_saved() - read the caller's fp and return address
 * @fp, @ra:	set on success; @ra is unmodified, so it may have a signature
 *
 * Reads fp first, because fp is saved below the return address and a window extends upwards.
 *
 * Return: UW_OK or UW_E_FAULT.
 */
UW_INLINE enum uw_status row_saved(struct uw_state *u, const struct uw_rule *r, u64 cfa, u64 *fp,
				   u64 *ra)
{
	u64 base = r->fp == UW_SAVED_FP ? u->regs.fp : cfa;
	const u8 *word;

	*fp = r->fp == UW_SAVED_LOST ? 0 : u->regs.fp;
	if (r->fp == UW_SAVED_CFA || r->fp == UW_SAVED_FP) {
		port_note(u, UW_NOTE_ROW_FP, base + (u64)(s64)r->fp_off);
		word = uw_window(u, base + (u64)(s64)r->fp_off, 8);
		if (!word)
			return UW_E_FAULT;
		*fp = uw_word(word);
	}
	*ra = r->ra == UW_SAVED_SCRATCH ? uw_scratch(u, (u8)r->cfa_add) : u->regs.lr;
	if (r->ra != UW_SAVED_CFA) {
		port_note(u, UW_NOTE_ROW_LR, *ra);
		return UW_OK;
	}
	port_note(u, UW_NOTE_ROW_RA, cfa + (u64)(s64)r->ra_off);
	word = uw_window(u, cfa + (u64)(s64)r->ra_off, 8);
	if (!word)
		return UW_E_FAULT;
	*ra = uw_word(word);
	port_note(u, UW_NOTE_RECORD_RA, *ra);
	return UW_OK;
}

/* Continues at the function that the signal interrupted, all of whose registers are known. */
UW_INLINE enum uw_status row_step_signal(struct uw_state *u)
{
	u64 at = u->regs.sp + ARCH_SIGNAL_OFF;
	struct uw_regs regs;
	const u8 *words;

	if (!u->sp_known)
		return UW_T_NO_ROW;
	port_note(u, UW_NOTE_SIGNAL, at);
	words = uw_window(u, at, ARCH_SIGNAL_LEN);
	if (!words)
		return UW_E_FAULT;
	regs = arch_signal_regs(words);
	if (!uw_is_user_pc(u, regs.pc)) {
		port_note(u, UW_NOTE_RA_REFUSED, regs.pc);
		return UW_E_BAD_RA;
	}
	u->regs = regs;
	u->stack_low = regs.sp;
	u->next_flags = 0;
	port_note(u, UW_NOTE_CALLER, regs.pc);
	return UW_OK;
}

/* Sets the walk's registers to the caller's. */
UW_INLINE enum uw_status row_go_up(struct uw_state *u, const struct uw_rule *r, u64 cfa, u64 fp,
				   u64 word)
{
	u64 ra = arch_strip_ra(word, u->va_mask);

	if (!ra)
		return UW_T_RA_ZERO;
	if (!uw_is_user_pc(u, ra)) {
		port_note(u, UW_NOTE_RA_REFUSED, ra);
		return UW_E_BAD_RA;
	}
	u->regs.pc = ra;
	u->regs.sp = cfa;
	u->regs.fp = fp;
	u->sp_known = r->ra != UW_SAVED_SCRATCH;
	u->stack_low = cfa;
	u->next_flags = UW_FRAME_RA;
	port_note(u, UW_NOTE_CALLER, ra);
	return UW_OK;
}

/**
 * row_step() - unwind one frame by a rule
 * @u:		walk state
 * @r:		any rule
 *
 * Return: UW_OK, UW_END, UW_T_NO_ROW if the rule is empty or needs an unknown register,
 * UW_T_RA_ZERO, UW_E_FAULT, UW_E_CFA, UW_E_BAD_RA. Unless the result is UW_OK, regs are unchanged.
 */
UW_INLINE enum uw_status row_step(struct uw_state *u, const struct uw_rule *r)
{
	u64 cfa = u->regs.fp - (u64)(s64)r->fp_off, fp, ra;
	enum uw_status err = UW_OK;

	port_note(u, UW_NOTE_ROW, UW_NOTE_ROW_VALUE(r));
	if (r->cfa == UW_CFA_ROOT)
		return UW_END;
	if (r->cfa == UW_CFA_SIGNAL)
		return row_step_signal(u);
	if (!row_record_at_fp(u, r)) {
		if (!row_is_usable(u, r))
			return UW_T_NO_ROW;
		err = row_cfa(u, r, &cfa);
	}
	if (!err)
		err = row_check_cfa(u, r, cfa);
	if (!err)
		err = row_saved(u, r, cfa, &fp, &ra);
	return err ? err : row_go_up(u, r, cfa, fp, ra);
}
