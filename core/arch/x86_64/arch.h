/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * x86-64, System V ABI. The same symbols as the other arch.h: diff them to see
 * the difference.
 *
 *	fp+8   return address      caller's sp = fp + 16
 *	fp     caller's fp
 */

#include "../../uw_state.h"

#define ARCH_RA_IN_FRAME (-1) /* the frame record exists */
#define ARCH_RA_IN_LR (-2)

/**
 * arch_ra_slot() - where an interrupted function keeps its return address
 * @insn:	the four bytes at pc
 *
 * Only the first and the last instructions of a function with a frame record
 * leave it elsewhere than in the record:
 *
 *	55            push %rbp          ra = *(sp)
 *	f3 0f 1e fa   endbr64            ra = *(sp)
 *	c3, f3 c3     ret, rep ret       ra = *(sp)
 *	c2 iw         ret $iw            ra = *(sp)
 *	48 89 e5      mov %rsp,%rbp      ra = *(sp + 8)
 *	48 8b ec      mov %rsp,%rbp      ra = *(sp + 8)
 *
 * Return: offset from sp in bytes, or ARCH_RA_IN_FRAME.
 */
UW_INLINE int arch_ra_slot(u32 insn)
{
	u32 b0 = insn & 0xff, b01 = insn & 0xffff, b012 = insn & 0xffffff;

	if (b0 == 0x55 || b0 == 0xc3 || b0 == 0xc2 || b01 == 0xc3f3 || insn == 0xfa1e0ff3)
		return 0;
	if (b012 == 0xe58948 || b012 == 0xec8b48)
		return 8;
	return ARCH_RA_IN_FRAME;
}

/* A return address without its signature: there is none here. */
UW_INLINE u64 arch_strip_ra(u64 ra, u64 va_mask)
{
	(void)va_mask;
	return ra;
}

/*
 * What of a signal's frame counts, from sp on when the handler has returned. That is
 * struct ucontext: its registers follow 40 bytes of flags, link and stack
 * (arch/x86/include/uapi/asm/sigcontext.h, struct sigcontext_64; since v2.6).
 */
#define ARCH_SIGNAL_OFF 56 /* r10 */
#define ARCH_SIGNAL_LEN 120 /* up to rip */

/* @words: ARCH_SIGNAL_LEN bytes at ARCH_SIGNAL_OFF */
UW_INLINE struct uw_regs arch_signal_regs(const u8 *words)
{
	const u64 *r10 = (const u64 *)words;

	return (struct uw_regs){ .pc = r10[14], .sp = r10[13], .fp = r10[8], .drap = r10[0] };
}

/* After a step by the frame record at @fp: cfa = fp + 16, exact. */
UW_INLINE void arch_set_caller_sp(struct uw_state *u, u64 fp)
{
	u->regs.sp = fp + 16;
	u->sp_known = true;
}
