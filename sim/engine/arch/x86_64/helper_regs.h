/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../../../core/uw_state.h"

#include <ucontext.h>

/* Sets the registers that sigreturn will restore to the target's registers. */
static inline void arch_set_regs(ucontext_t *at, const struct uw_regs *regs)
{
	static const int scratch[] = { REG_R10, REG_RAX, REG_RCX, REG_R8, REG_R9, REG_R11 };

	at->uc_mcontext.gregs[REG_RIP] = (greg_t)regs->pc;
	at->uc_mcontext.gregs[REG_RSP] = (greg_t)regs->sp;
	at->uc_mcontext.gregs[REG_RBP] = (greg_t)regs->fp;
	for (int i = 0; i < UW_N_SCRATCH; i++)
		at->uc_mcontext.gregs[scratch[i]] = (greg_t)regs->scratch[i];
}

/* Copies all registers except floating-point registers, which are stored elsewhere. */
static inline void arch_copy_regs(ucontext_t *to, const ucontext_t *from)
{
	for (int i = 0; i < NGREG; i++)
		to->uc_mcontext.gregs[i] = from->uc_mcontext.gregs[i];
}

/* Returns from a signal handler, in a process without a vDSO. */
__attribute__((naked, used)) static void arch_sigreturn(void)
{
	__asm__("mov $15, %eax\n\tsyscall");
}
