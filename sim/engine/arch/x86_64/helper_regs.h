/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../../../core/uw_state.h"

#include <ucontext.h>

/* What sigreturn is to go on with: at an instruction of the target. */
static inline void arch_set_regs(ucontext_t *at, const struct uw_regs *regs)
{
	at->uc_mcontext.gregs[REG_RIP] = (greg_t)regs->pc;
	at->uc_mcontext.gregs[REG_RSP] = (greg_t)regs->sp;
	at->uc_mcontext.gregs[REG_RBP] = (greg_t)regs->fp;
	at->uc_mcontext.gregs[REG_R10] = (greg_t)regs->drap;
}

/* All but the floating point registers, which lie elsewhere. */
static inline void arch_copy_regs(ucontext_t *to, const ucontext_t *from)
{
	for (int i = 0; i < NGREG; i++)
		to->uc_mcontext.gregs[i] = from->uc_mcontext.gregs[i];
}

/* The end of a signal handler, for who has no vDSO. */
__attribute__((naked, used)) static void arch_sigreturn(void)
{
	__asm__("mov $15, %eax\n\tsyscall");
}
