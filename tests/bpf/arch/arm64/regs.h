/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* arm64: registers of a sample. arch/x86_64/regs.h has the same symbols. */

#define HAS_LR true
#define USUAL_VA_MASK VA48
#define LARGEST_VA_MASK VA52
#define STACK_ARCH STACK_ARM64
#define LOWEST_KERNEL_PC 0xfff0000000000000ull /* 52-bit addresses (48-bit: 0xffff000000000000) */

/* Indexes of 64-bit words: struct user_pt_regs of arch/arm64/include/uapi/asm/ptrace.h at v6.12. */
enum { AT_X19 = 19, AT_X20 = 20, AT_X29 = 29, AT_X30 = 30, AT_SP = 31, AT_PC = 32, N_REGS = 34 };

/* V8 keeps the bytecode offset in x19, the BytecodeArray in x20. */
static inline struct arch_pt_regs pt_regs_of(const struct uw_regs *r, u64 offset, u64 array)
{
	const u64 words[N_REGS] = { [AT_PC] = r->pc,  [AT_SP] = r->sp,	 [AT_X29] = r->fp,
				    [AT_X30] = r->lr, [AT_X19] = offset, [AT_X20] = array };
	struct arch_pt_regs regs;

	_Static_assert(sizeof(regs) == sizeof(words), "all of them");
	memcpy(&regs, words, sizeof(regs));
	return regs;
}

/* V8 calls a function with the JSFunction in x1. */
static inline void set_callee(struct arch_pt_regs *regs, u64 function)
{
	((u64 *)regs)[1] = function;
}

/*
 * Makes @regs those of a thread in a system call with this result. Return: the 4 bytes of code
 * before pc.
 */
static inline u32 set_syscall(struct arch_pt_regs *regs, u64 result)
{
	((u64 *)regs)[0] = result;
	return 0xd4000001;
}

/* arch/arm64/include/uapi/asm/ptrace.h at v6.12: PSR_MODE32_BIT */
static inline void set_32_bit(struct arch_pt_regs *regs)
{
	((u64 *)regs)[AT_PC + 1] |= 0x10;
}
