/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* x86-64: registers of a sample. arch/arm64/regs.h has the same symbols. */

#define HAS_LR false
#define USUAL_VA_MASK VA47
#define LARGEST_VA_MASK ((1ull << 56) - 1)
#define STACK_ARCH STACK_X86_64
#define LOWEST_KERNEL_PC 0xff00000000000000ull /* 57-bit addresses (48-bit: 0xffff800000000000) */

/* Indexes of 64-bit words: arch/x86/include/uapi/asm/ptrace-abi.h at v6.12. */
enum {
	AT_R12 = 3,
	AT_RBP = 4,
	AT_R11 = 6,
	AT_R10 = 7,
	AT_R9 = 8,
	AT_R8 = 9,
	AT_RAX = 10,
	AT_RCX = 11,
	AT_RDI = 14,
	AT_RIP = 16,
	AT_CS = 17,
	AT_RSP = 19,
	N_REGS = 21
};

/* V8 keeps the bytecode offset in r9, the BytecodeArray in r12. */
static inline struct arch_pt_regs pt_regs_of(const struct uw_regs *r, u64 offset, u64 array)
{
	const u64 words[N_REGS] = {
		[AT_RIP] = r->pc,
		[AT_RSP] = r->sp,
		[AT_RBP] = r->fp,
		[AT_R9] = offset,
		[AT_R12] = array,
		[AT_CS] = 0x33,
		[AT_R10] = r->scratch[UW_R10],
		[AT_RAX] = r->scratch[UW_RAX],
		[AT_RCX] = r->scratch[UW_RCX],
		[AT_R8] = r->scratch[UW_R8],
		[AT_R11] = r->scratch[UW_R11],
	};
	struct arch_pt_regs regs;

	_Static_assert(sizeof(regs) == sizeof(words), "all of them");
	memcpy(&regs, words, sizeof(regs));
	return regs;
}

/* V8 calls a function with the JSFunction in rdi. */
static inline void set_callee(struct arch_pt_regs *regs, u64 function)
{
	((u64 *)regs)[AT_RDI] = function;
}

/*
 * Makes @regs those of a thread in a system call with this result. Return: the 4 bytes of code
 * before pc.
 */
static inline u32 set_syscall(struct arch_pt_regs *regs, u64 result)
{
	((u64 *)regs)[AT_RAX] = result;
	return 0x050f0000; /* the two bytes before pc */
}

/* arch/x86/include/asm/segment.h at v6.12: __USER32_CS */
static inline void set_32_bit(struct arch_pt_regs *regs)
{
	((u64 *)regs)[AT_CS] = 0x23;
}
