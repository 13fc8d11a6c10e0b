/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../../../core/uw_state.h"

#include <ucontext.h>

/* Sets the registers that sigreturn will restore to the target's registers. */
static inline void arch_set_regs(ucontext_t *at, const struct uw_regs *regs)
{
	at->uc_mcontext.pc = regs->pc;
	at->uc_mcontext.sp = regs->sp;
	at->uc_mcontext.regs[29] = regs->fp;
	at->uc_mcontext.regs[30] = regs->lr;
}

/* Copies all registers except floating-point registers, which are stored elsewhere. */
static inline void arch_copy_regs(ucontext_t *to, const ucontext_t *from)
{
	for (int i = 0; i < 31; i++)
		to->uc_mcontext.regs[i] = from->uc_mcontext.regs[i];
	to->uc_mcontext.sp = from->uc_mcontext.sp;
	to->uc_mcontext.pc = from->uc_mcontext.pc;
	to->uc_mcontext.pstate = from->uc_mcontext.pstate;
}

/* Returns from a signal handler, in a process without a vDSO. */
__asm__("arch_sigreturn:\n\tmov x8, #139\n\tsvc #0");
void arch_sigreturn(void);
