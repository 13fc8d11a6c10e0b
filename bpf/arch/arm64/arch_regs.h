/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * arm64: reads registers from the kernel's structures. Defines the same symbols as
 * x86_64/arch_regs.h.
 */

#include "../../../core/uw_state.h"

/* The first part of struct pt_regs, struct user_pt_regs (arch/arm64/include/asm/ptrace.h). */
struct arch_pt_regs {
	u64 x[31], sp, pc, pstate;
};

#define ARCH_THREAD_SIZE 16384 /* with 4 KiB pages and without KASAN; used only before v5.15 */

UW_INLINE u64 arch_pc(const struct arch_pt_regs *r)
{
	return r->pc;
}

/* Kernel addresses have the top 12 or 16 bits set; user addresses have 52 bits at most. */
UW_INLINE bool arch_is_kernel_pc(u64 pc)
{
	return pc >> 63;
}

/* PSR_MODE32_BIT of arch/arm64/include/uapi/asm/ptrace.h */
UW_INLINE bool arch_is_32_bit(const struct arch_pt_regs *r)
{
	return r->pstate & 0x10;
}

#define ARCH_SYSCALL 0xd4000001 /* svc #0 */
#define ARCH_SYSCALL_LEN 4

/*
 * Has the system call returned 0? A new child starts as if its system call had returned 0. Until a
 * system call returns, x0 holds the call's first argument; rt_sigreturn() has no arguments.
 */
UW_INLINE bool arch_returns_zero(const struct arch_pt_regs *r)
{
	return !r->x[0] && r->x[8] != 139; /* __NR_rt_sigreturn */
}

/*
 * V8 on arm64: the interpreter keeps the bytecode offset in x19 and the BytecodeArray in x20. A
 * call passes the JSFunction in x1 (kJSFunctionRegister, v8/src/codegen/arm64/register-arm64.h).
 */
UW_INLINE void arch_take_regs(struct uw_state *u, const struct arch_pt_regs *r)
{
	u->regs = (struct uw_regs){ .pc = r->pc, .sp = r->sp, .fp = r->x[29], .lr = r->x[30] };
	u->sample.interp[0] = r->x[19];
	u->sample.interp[1] = r->x[20];
	u->sample.callee = r->x[1];
}
