/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * x86-64: reads registers from the kernel's structures. Defines the same symbols as
 * arm64/arch_regs.h.
 */

#include "../../../core/uw_state.h"

/* struct pt_regs of arch/x86/include/asm/ptrace.h; its layout is the same since v2.6. */
struct arch_pt_regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	u64 ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#define ARCH_THREAD_SIZE 16384 /* without KASAN; used only before v5.15 */

UW_INLINE u64 arch_pc(const struct arch_pt_regs *r)
{
	return r->ip;
}

/* Kernel addresses have the top bit set. */
UW_INLINE bool arch_is_kernel_pc(u64 pc)
{
	return pc >> 63;
}

/* __USER32_CS of arch/x86/include/asm/segment.h, v2.6 to v7.2 */
UW_INLINE bool arch_is_32_bit(const struct arch_pt_regs *r)
{
	return (r->cs & 0xffff) == 0x23;
}

#define ARCH_SYSCALL 0x050f /* syscall */
#define ARCH_SYSCALL_LEN 2

/*
 * Has the system call returned 0? A new child starts as if its system call had returned 0. Until a
 * system call returns, rax is -ENOSYS (arch/x86/entry/entry_64.S, v2.6 to v7.2).
 */
UW_INLINE bool arch_returns_zero(const struct arch_pt_regs *r)
{
	return !r->ax;
}

/*
 * V8 on x64: the interpreter keeps the bytecode offset in r9 and the BytecodeArray in r12. A call
 * passes the JSFunction in rdi (kJSFunctionRegister, v8/src/codegen/x64/register-x64.h, 8.4 to
 * 14.6).
 */
UW_INLINE void arch_take_regs(struct uw_state *u, const struct arch_pt_regs *r)
{
	u->regs = (struct uw_regs){
		.pc = r->ip,
		.sp = r->sp,
		.fp = r->bp,
		.scratch = { r->r10, r->ax, r->cx, r->r8, r->r9, r->r11 },
	};
	u->sample.interp[0] = r->r9;
	u->sample.interp[1] = r->r12;
	u->sample.callee = r->di;
}
