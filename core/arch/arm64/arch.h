/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * arm64, AAPCS64. Defines the same symbols as x86_64/arch.h; diff the two files
 * to compare the architectures.
 *
 *	fp+8   return address, signed or not     caller's sp: not in the record
 *	fp     caller's fp
 */

#include "../../uw_state.h"

#define ARCH_RA_IN_FRAME (-1) /* the function has a frame record */
#define ARCH_RA_IN_LR (-2)
#define ARCH_RA_IN_SCRATCH (-3) /* ARCH_RA_IN_SCRATCH - i: scratch register i (enum uw_scratch) */

/* When a function makes a call, does fp always point to a valid frame record? */
#define ARCH_FP_IS_RECORD true

/**
 * arch_ra_slot() - find where an interrupted function's return address is
 * @insn:	the instruction at pc
 *
 * A function with a frame record executes only its first and last instructions without the record.
 * At these instructions, the return address is in:
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

/* Reads four bytes of code at any alignment. */
UW_INLINE u32 arch_u32(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* arch_v8_ra_slot() reads this many bytes before pc, and this many from pc on. */
#define ARCH_V8_BEFORE 8
#define ARCH_V8_AFTER 28

/*
 * Instructions that V8's compilers emit before they build a frame and after they remove it. The
 * sequences below consist of these instructions. X(meaning, bits, mask of the significant bits).
 */
#define ARCH_V8_INSNS(X)                                                                           \
	X(loads_code, 0xf8400050, 0xffe00fff) /* ldur x16, [x2, #n] */                             \
	X(loads_flags, 0xb8400210, 0xffe00fff) /* ldur w16, [x16, #n] */                           \
	X(tests_flag, 0x36000070, 0xff07ffff) /* tbz w16, #n, +12 */                               \
	X(loads_builtin, 0x58000011, 0xff00001f) /* ldr x17, =builtin */                           \
	X(jumps, 0xd61f0220, ~0u) /* br x17 */                                                     \
	X(compares, 0xf100007f, 0xffc003ff) /* cmp x3, #n */                                       \
	X(skips_move, 0x5400004a, ~0u) /* b.ge +8 */                                               \
	X(moves_count, 0xd2800003, 0xffe0001f) /* mov x3, #n */                                    \
	X(adds_one, 0x91000410, 0xfffffc1f) /* add x16, xn, #1 */                                  \
	X(clears_bit, 0x927ffa10, ~0u) /* and x16, x16, #-2 */                                     \
	X(drops, 0x8b306fff, ~0u) /* add sp, sp, x16, lsl #3 */

#define X(meaning, bits, mask)                                                                     \
	UW_INLINE bool arch_v8_insn_##meaning(u32 insn)                                            \
	{                                                                                          \
		return (insn & (mask)) == (bits);                                                  \
	}
ARCH_V8_INSNS(X)
#undef X

/* tbz w16, #n, +12; ldr x17, =builtin; br x17 */
UW_INLINE bool arch_v8_tests_code(const u8 *p)
{
	return arch_v8_insn_tests_flag(arch_u32(p)) &&
	       arch_v8_insn_loads_builtin(arch_u32(p + 4)) && arch_v8_insn_jumps(arch_u32(p + 8));
}

/*
 * Matches the code that checks, before the frame is built, whether the function was deoptimized (V8
 * 10 to 12).
 *
 *	ldur x16, [x2, #-n]
 *	ldur w16, [x16, #n]
 *	tbz w16, #n, +12
 *	ldr x17, =builtin
 *	br x17
 */
UW_INLINE bool arch_v8_checks_code(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_loads_code(word))
		return arch_v8_insn_loads_flags(arch_u32(p + 4)) && arch_v8_tests_code(p + 8);
	if (arch_v8_insn_loads_flags(word))
		return arch_v8_tests_code(p + 4);
	if (arch_v8_insn_loads_builtin(word))
		return arch_v8_tests_code(p - 4);
	return arch_v8_insn_jumps(word) ? arch_v8_tests_code(p - 8) : arch_v8_tests_code(p);
}

/* add sp, sp, x16, lsl #3; ret */
UW_INLINE bool arch_v8_drops(const u8 *p)
{
	return arch_v8_insn_drops(arch_u32(p)) && arch_u32(p + 4) == 0xd65f03c0;
}

/* add x16, xn, #1; and x16, x16, #-2 */
UW_INLINE bool arch_v8_rounds(const u8 *p)
{
	return arch_v8_insn_adds_one(arch_u32(p)) && arch_v8_insn_clears_bit(arch_u32(p + 4)) &&
	       arch_v8_drops(p + 8);
}

/*
 * Matches the code that drops the arguments after the frame is removed. The number of dropped
 * arguments is rounded up to an even number.
 *
 *	cmp x3, #n
 *	b.ge +8
 *	mov x3, #n
 *	add x16, x3, #1		Maglev uses another register
 *	and x16, x16, #-2
 *	add sp, sp, x16, lsl #3
 *	ret
 */
UW_INLINE bool arch_v8_drops_arguments(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_compares(word))
		return arch_v8_insn_skips_move(arch_u32(p + 4)) && arch_v8_rounds(p + 12);
	if (arch_v8_insn_skips_move(word))
		return arch_v8_rounds(p + 8);
	if (arch_v8_insn_moves_count(word))
		return arch_v8_rounds(p + 4);
	return arch_v8_insn_clears_bit(word) ? arch_v8_drops(p + 4)
					     : arch_v8_rounds(p) || arch_v8_drops(p);
}

/**
 * arch_v8_may_lack_frame() - can a V8 function have no frame at this instruction?
 * @insn:	the instruction at pc
 *
 * Returns true for each instruction of the sequences above. The instructions also occur
 * elsewhere, so arch_v8_ra_slot() must confirm that there is no frame.
 */
UW_INLINE bool arch_v8_may_lack_frame(u32 insn)
{
#define X(meaning, bits, mask) arch_v8_insn_##meaning(insn) ||
	return ARCH_V8_INSNS(X) false;
#undef X
}

/**
 * arch_v8_ra_slot() - find where an interrupted V8 function's return address is
 * @code:	ARCH_V8_BEFORE bytes before pc, then ARCH_V8_AFTER bytes from pc
 *
 * Matches the sequences that V8's compilers emit before they build a frame and after they
 * remove it (checked by single-stepping V8 10.2 to 14.6).
 *
 * Return: as arch_ra_slot().
 */
UW_INLINE int arch_v8_ra_slot(const u8 *code)
{
	const u8 *p = code + ARCH_V8_BEFORE;

	return arch_v8_checks_code(p) || arch_v8_drops_arguments(p) ? ARCH_RA_IN_LR
								    : ARCH_RA_IN_FRAME;
}

/* V8's code keeps sp aligned, so it does not align sp before it calls C++. */
#define ARCH_V8_ALIGNS_SP false
#define ARCH_V8_PUSH_LEN 16 /* number of stack bytes that pushing one word takes */

/* Returns @ra without its signature (PAC), which is in the bits above the address. */
UW_INLINE u64 arch_strip_ra(u64 ra, u64 va_mask)
{
	return ra & va_mask;
}

/*
 * Offset and length of the part of a signal frame that the walk reads; the offset is relative to sp
 * after the handler has returned. The signal frame is a struct rt_sigframe: 128 bytes of siginfo,
 * then struct ucontext, in which the registers come after 176 bytes and the fault address
 * (arch/arm64/kernel/signal.c, arch/arm64/include/uapi/asm/{ucontext,sigcontext}.h; since v3.7).
 */
#define ARCH_SIGNAL_OFF 544 /* offset of x29 */
#define ARCH_SIGNAL_LEN 32 /* x29, x30, sp, pc */

/*
 * Returns the registers saved in a signal frame. @words: ARCH_SIGNAL_LEN bytes at ARCH_SIGNAL_OFF.
 */
UW_INLINE UW_UNALIGNED struct uw_regs arch_signal_regs(const u8 *words)
{
	const u64 *x29 = (const u64 *)words;

	return (struct uw_regs){ .fp = x29[0], .lr = x29[1], .sp = x29[2], .pc = x29[3] };
}

/*
 * Marks the caller's sp as unknown after a step by the frame record at @fp, because the record may
 * be anywhere in the frame.
 */
UW_INLINE void arch_set_caller_sp(struct uw_state *u, u64 fp)
{
	(void)fp;
	u->regs.sp = 0;
	u->sp_known = false;
}
