/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * x86-64, System V ABI. Defines the same symbols as arm64/arch.h; diff the two
 * files to compare the architectures.
 *
 *	fp+8   return address      caller's sp = fp + 16
 *	fp     caller's fp
 */

#include "../../uw_state.h"

#define ARCH_RA_IN_FRAME (-1) /* the function has a frame record */
#define ARCH_RA_IN_LR (-2)
#define ARCH_RA_IN_SCRATCH (-3) /* ARCH_RA_IN_SCRATCH - i: scratch register i (enum uw_scratch) */

/* When a function makes a call, does fp always point to a valid frame record? */
#define ARCH_FP_IS_RECORD false

/**
 * arch_ra_slot() - find where an interrupted function's return address is
 * @insn:	the four bytes at pc
 *
 * A function with a frame record executes only its first and last instructions without the record.
 * At these instructions, the return address is at:
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

/* Reads four bytes of code at any alignment. */
UW_INLINE u32 arch_u32(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* arch_v8_ra_slot() reads this many bytes before pc, and this many from pc on. */
#define ARCH_V8_BEFORE 16
#define ARCH_V8_AFTER 24

/*
 * Instructions that V8's compilers emit before they build a frame and after they remove it. The
 * sequences below consist of these instructions. X(meaning, bytes, mask of the significant bytes):
 * an instruction's first byte is the lowest.
 */
#define ARCH_V8_INSNS(X)                                                                           \
	X(moves_id, 0xbb, 0xff) /* mov $id,%ebx */                                                 \
	X(calls, 0xe8, 0xff) /* call */                                                            \
	X(tests_code, 0x43f6, 0xffff) /* testb $x,x(%rbx) */                                       \
	X(jumps_ne, 0x850f, 0xffff) /* jne */                                                      \
	X(clears_id, 0xdb33, 0xffff) /* xor %ebx,%ebx */                                           \
	X(loads_bytecode, 0xbc49, 0xffff) /* mov $iq,%r12 */                                       \
	X(loads_feedback, 0xb949, 0xffff) /* mov $iq,%r9 */                                        \
	X(loads_code, 0x598b48, 0xffffff) /* mov -x(%rcx),%rbx */                                  \
	X(tests_feedback, 0x41f641, 0xffffff) /* testb $x,x(%r9) */                                \
	X(skips_jump, 0xe90574, 0xffffff) /* je +5; jmp */                                         \
	X(compares_rcx, 0xf98348, 0xffffff) /* cmp $x,%rcx */                                      \
	X(compares_r8, 0xf88349, 0xffffff) /* cmp $x,%r8 */                                        \
	X(skips_ret, 0xc2037f, 0xffffff) /* jg +3; ret $iw */                                      \
	X(puts_r10, 0xc35241, 0xffffff) /* push %r10; ret */                                       \
	X(puts_r9, 0xc35141, 0xffffff) /* push %r9; ret */                                         \
	X(calls_root, 0x95ff41, 0xffffff) /* call *id(%r13) */                                     \
	X(pops_r10, 0x8d485a41, ~0u) /* pop %r10; lea */                                           \
	X(pops_r9, 0x8d4a5941, ~0u) /* pop %r9; lea */                                             \
	X(drops_rcx, 0xcc248d48, ~0u) /* lea (%rsp,%rcx,8),%rsp */                                 \
	X(drops_rcx_and_one, 0xcc648d48, ~0u) /* lea 8(%rsp,%rcx,8),%rsp */                        \
	X(drops_r8, 0xc4248d4a, ~0u) /* lea (%rsp,%r8,8),%rsp */                                   \
	X(skips_far_jump, 0xba490d74, ~0u) /* je +13; mov $iq,%r10 */                              \
	X(skips_far_ret, 0x00038f0f, ~0u) /* jg +3, encoded in six bytes */

#define X(meaning, bytes, mask)                                                                    \
	UW_INLINE bool arch_v8_insn_##meaning(u32 insn)                                            \
	{                                                                                          \
		return (insn & (mask)) == (bytes);                                                 \
	}
ARCH_V8_INSNS(X)
#undef X

/* push %rbp; mov %rsp,%rbp */
UW_INLINE bool arch_v8_builds_frame(const u8 *p)
{
	return arch_u32(p) == 0xe5894855;
}

/*
 * Matches Maglev's code that checks, before the frame is built, whether more optimized code exists
 * (V8 12.9).
 *
 *	49 b9 iq          mov $iq,%r9
 *	41 f6 41 xx xx    testb $x,x(%r9)
 *	0f 85 rel32       jne
 *	55 48 89 e5
 */
UW_INLINE bool arch_v8_loads_feedback(const u8 *p)
{
	return arch_v8_insn_loads_feedback(arch_u32(p)) &&
	       arch_v8_insn_tests_feedback(arch_u32(p + 10));
}

UW_INLINE bool arch_v8_tests_feedback(const u8 *p)
{
	return arch_v8_insn_tests_feedback(arch_u32(p)) && arch_v8_insn_jumps_ne(arch_u32(p + 5)) &&
	       arch_v8_builds_frame(p + 11);
}

/*
 * Matches the code that checks, before the frame is built, whether the function was deoptimized (V8
 * 8 to 12).
 *
 *	48 8b 59 xx                      mov -x(%rcx),%rbx
 *	f6 43 xx xx                      testb $x,x(%rbx)
 *	0f 85 rel32                      jne
 *	  or  74 05 e9 rel32             je +5, jmp
 *	  or  74 0d 49 ba iq 41 ff e2    je +13, mov $iq,%r10, jmp *%r10
 *	55 48 89 e5
 */
UW_INLINE bool arch_v8_checks_code(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_loads_code(word))
		return arch_v8_insn_tests_code(arch_u32(p + 4));
	if (arch_v8_insn_tests_code(word))
		return arch_v8_builds_frame(p + 10) || arch_v8_builds_frame(p + 11) ||
		       arch_v8_builds_frame(p + 19) || arch_v8_loads_feedback(p + 10);
	if (arch_v8_insn_jumps_ne(word))
		return arch_v8_builds_frame(p + 6) || arch_v8_loads_feedback(p + 6);
	if (arch_v8_insn_skips_far_jump(word))
		return arch_v8_builds_frame(p + 15);
	return arch_v8_insn_skips_jump(word) && arch_v8_builds_frame(p + 7);
}

/*
 * Matches the code that drops the arguments after the frame is removed. The number of dropped
 * arguments is the larger of two counts. TurboFan (also before V8 9.5) and Maglev emit this code.
 *
 *	48 83 f9 xx       cmp $x,%rcx                 49 83 f8 xx       cmp $x,%r8
 *	7f 03             jg +3                       0f 8f 03 00 00 00
 *	c2 iw             ret $iw                     c2 iw
 *	41 5a             pop %r10                    41 59             pop %r9
 *	48 8d 24 cc       lea (%rsp,%rcx,8),%rsp      4a 8d 24 c4       lea (%rsp,%r8,8),%rsp
 *	  or  48 8d 64 cc 08  lea 8(%rsp,%rcx,8),%rsp
 *	41 52             push %r10                   41 51             push %r9
 *	c3                ret                         c3
 *
 * Between the pop and the push, the return address is in r10 or r9.
 */
UW_INLINE bool arch_v8_drops_arguments(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_compares_rcx(word))
		return arch_v8_insn_skips_ret(arch_u32(p + 4));
	if (arch_v8_insn_compares_r8(word))
		return p[4] == 0x0f && p[5] == 0x8f && p[10] == 0xc2;
	if (arch_v8_insn_skips_far_ret(word))
		return p[4] == 0 && p[6] == 0xc2;
	return arch_v8_insn_skips_ret(word) || arch_v8_insn_pops_r10(word) ||
	       arch_v8_insn_pops_r9(word);
}

/* push %r9 or %r10; ret */
UW_INLINE bool arch_v8_puts_ra(const u8 *p)
{
	return arch_v8_insn_puts_r10(arch_u32(p)) || arch_v8_insn_puts_r9(arch_u32(p));
}

UW_INLINE bool arch_v8_holds_ra(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_drops_rcx(word) || arch_v8_insn_drops_r8(word))
		return arch_v8_puts_ra(p + 4);
	return arch_v8_insn_drops_rcx_and_one(word) ? arch_v8_puts_ra(p + 5) : arch_v8_puts_ra(p);
}

/*
 * Returns the register that holds the return address, which is the operand of the next push
 * instruction. The push is at most five bytes after @p.
 */
UW_INLINE int arch_v8_ra_register(const u8 *p)
{
	u8 push = p[0] == 0x41 ? p[1] : p[2] == 0x64 ? p[6] : p[5];

	return ARCH_RA_IN_SCRATCH - (push == 0x51 ? UW_R9 : UW_R10);
}

/*
 * Matches the start of baseline code, which loads registers and calls a builtin that builds the
 * frame.
 *
 *	bb id  or  33 db  mov $id,%ebx; xor %ebx,%ebx
 *	49 bc iq          mov $iq,%r12
 *	e8 rel32  or  41 ff 95 id  call; call *id(%r13) (V8 9.4)
 */
UW_INLINE bool arch_v8_calls_builtin(const u8 *p)
{
	return arch_v8_insn_calls(arch_u32(p)) || arch_v8_insn_calls_root(arch_u32(p));
}

/* Does the instruction before @p load the builtin's id? The instruction at @p loads r12. */
UW_INLINE bool arch_v8_sets_id(const u8 *p)
{
	return arch_v8_insn_moves_id(arch_u32(p - 5)) || arch_v8_insn_clears_id(arch_u32(p - 2));
}

UW_INLINE bool arch_v8_enters_baseline(const u8 *p)
{
	u32 word = arch_u32(p);

	if (arch_v8_insn_moves_id(word))
		return arch_v8_insn_loads_bytecode(arch_u32(p + 5)) &&
		       arch_v8_calls_builtin(p + 15);
	if (arch_v8_insn_clears_id(word))
		return arch_v8_insn_loads_bytecode(arch_u32(p + 2)) &&
		       arch_v8_calls_builtin(p + 12);
	if (arch_v8_insn_loads_bytecode(word))
		return arch_v8_calls_builtin(p + 10) && arch_v8_sets_id(p);
	return arch_v8_calls_builtin(p) && arch_v8_insn_loads_bytecode(arch_u32(p - 10)) &&
	       arch_v8_sets_id(p - 10);
}

/**
 * arch_v8_may_lack_frame() - can a V8 function have no frame at this instruction?
 * @insn:	the four bytes at pc
 *
 * Returns true for each instruction of the sequences above. The instructions also occur
 * elsewhere, so arch_v8_ra_slot() must confirm that there is no frame.
 */
UW_INLINE bool arch_v8_may_lack_frame(u32 insn)
{
#define X(meaning, bytes, mask) arch_v8_insn_##meaning(insn) ||
	return ARCH_V8_INSNS(X) false;
#undef X
}

/**
 * arch_v8_ra_slot() - find where an interrupted V8 function's return address is
 * @code:	ARCH_V8_BEFORE bytes before pc, then ARCH_V8_AFTER bytes from pc
 *
 * Matches the sequences that V8's compilers emit before they build a frame and after they
 * remove it (checked by single-stepping V8 8.4 to 14.6).
 *
 * Return: as arch_ra_slot().
 */
UW_INLINE int arch_v8_ra_slot(const u8 *code)
{
	const u8 *p = code + ARCH_V8_BEFORE;

	if (arch_v8_checks_code(p) || arch_v8_loads_feedback(p) || arch_v8_tests_feedback(p) ||
	    arch_v8_drops_arguments(p) || arch_v8_enters_baseline(p))
		return 0;
	return arch_v8_holds_ra(p) ? arch_v8_ra_register(p) : ARCH_RA_IN_FRAME;
}

/* Before it calls C++, V8's code aligns sp and stores the old sp at the new sp. */
#define ARCH_V8_ALIGNS_SP true
#define ARCH_V8_PUSH_LEN 8 /* number of stack bytes that pushing one word takes */

/* Returns @ra unchanged, because x86-64 does not sign return addresses. */
UW_INLINE u64 arch_strip_ra(u64 ra, u64 va_mask)
{
	(void)va_mask;
	return ra;
}

/*
 * Offset and length of the part of a signal frame that the walk reads; the offset is relative to sp
 * after the handler has returned. The signal frame is a struct ucontext, in which the registers
 * come after 40 bytes of flags, link and stack (arch/x86/include/uapi/asm/sigcontext.h, struct
 * sigcontext_64; since v2.6).
 */
#define ARCH_SIGNAL_OFF 48 /* offset of r9; from r8 on, the length would exceed UW_WINDOW_USE */
#define ARCH_SIGNAL_LEN 128 /* up to rip */

/*
 * Returns the registers saved in a signal frame. @words: ARCH_SIGNAL_LEN bytes at ARCH_SIGNAL_OFF.
 */
UW_INLINE UW_UNALIGNED struct uw_regs arch_signal_regs(const u8 *words)
{
	const u64 *r9 = (const u64 *)words;

	return (struct uw_regs){
		.pc = r9[15],
		.sp = r9[14],
		.fp = r9[9],
		.scratch = { [UW_R10] = r9[1],
			     [UW_RAX] = r9[12],
			     [UW_RCX] = r9[13],
			     [UW_R9] = r9[0],
			     [UW_R11] = r9[2] },
	};
}

/* Sets sp to the CFA, fp + 16, after a step by the frame record at @fp. */
UW_INLINE void arch_set_caller_sp(struct uw_state *u, u64 fp)
{
	u->regs.sp = fp + 16;
	u->sp_known = true;
}
