/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * arm64, AAPCS64. The same symbols as the other arch.h: diff them to see the
 * difference.
 *
 *	fp+8   return address, signed or not     caller's sp: not in the record
 *	fp     caller's fp
 */

#include "../../uw_state.h"

#define ARCH_RA_IN_FRAME (-1) /* the frame record exists */
#define ARCH_RA_IN_LR (-2)
#define ARCH_RA_IN_SCRATCH (-3) /* and below: in the scratch registers, one after the other */

/* Does fp lead to the record of whoever keeps one and has called another? */
#define ARCH_FP_IS_RECORD true

/**
 * arch_ra_slot() - where an interrupted function keeps its return address
 * @insn:	the instruction at pc
 *
 * Only the first and the last instructions of a function with a frame record
 * leave it elsewhere than in the record:
 *
 *	stp x29, x30, [sp, #-n]!       ra = lr
 *	stp x29, x30, [sp, #n]         ra = lr
 *	mov x29, sp; add x29, sp, #n   ra = lr
 *	ret, retaa, retab              ra = lr
 *	paciasp, autiasp, bti c        ra = lr
 *
 * Return: ARCH_RA_IN_LR or ARCH_RA_IN_FRAME.
 */
UW_INLINE int arch_ra_slot(u32 insn)
{
	if ((insn & 0xffc07fff) == 0xa9807bfd || (insn & 0xffc07fff) == 0xa9007bfd)
		return ARCH_RA_IN_LR;
	if ((insn & 0xffc003ff) == 0x910003fd)
		return ARCH_RA_IN_LR;
	if (insn == 0xd65f03c0 || insn == 0xd65f0bff || insn == 0xd65f0fff)
		return ARCH_RA_IN_LR;
	if (insn == 0xd503233f || insn == 0xd50323bf || insn == 0xd503245f)
		return ARCH_RA_IN_LR;
	return ARCH_RA_IN_FRAME;
}

/* What arch_v8_ra_slot() looks at around pc. */
#define ARCH_V8_BEFORE 0
#define ARCH_V8_AFTER 4

/* May an interrupted function of V8's have no frame? Only where others have none, too. */
UW_INLINE bool arch_v8_is_window(u32 insn)
{
	(void)insn;
	return false;
}

UW_INLINE int arch_v8_ra_slot(const u8 *code)
{
	(void)code;
	return ARCH_RA_IN_FRAME;
}

/* Where V8's code calls C sp is aligned already. */
#define ARCH_V8_ALIGNS_SP false
#define ARCH_V8_PUSH_LEN 16 /* what one word takes of the stack */

/* A return address without its signature, which fills the bits above the address. */
UW_INLINE u64 arch_strip_ra(u64 ra, u64 va_mask)
{
	return ra & va_mask;
}

/*
 * What of a signal's frame counts, from sp on when the handler has returned. That is
 * struct rt_sigframe: 128 bytes of siginfo, then struct ucontext, whose registers
 * follow 176 bytes and the fault's address (arch/arm64/kernel/signal.c,
 * arch/arm64/include/uapi/asm/{ucontext,sigcontext}.h; since v3.7).
 */
#define ARCH_SIGNAL_OFF 544 /* x29 */
#define ARCH_SIGNAL_LEN 32 /* x30, sp, pc */

/* @words: ARCH_SIGNAL_LEN bytes at ARCH_SIGNAL_OFF */
UW_INLINE UW_UNALIGNED struct uw_regs arch_signal_regs(const u8 *words)
{
	const u64 *x29 = (const u64 *)words;

	return (struct uw_regs){ .fp = x29[0], .lr = x29[1], .sp = x29[2], .pc = x29[3] };
}

/* After a step by the frame record at @fp: the record may lie anywhere in the frame. */
UW_INLINE void arch_set_caller_sp(struct uw_state *u, u64 fp)
{
	(void)fp;
	u->regs.sp = 0;
	u->sp_known = false;
}
