/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../../../core/types.h"

#define ARCH_IS_ARM64 0
#define ARCH_FAULT_SP 48 /* distance of sp below fp at the fault, in bytes */

/* Stores to @page with the frame pointer set to @fp and sp set just below @fp. */
static __attribute__((noinline, unused)) void arch_fault(u64 fp, volatile char *page)
{
	__asm__ volatile("mov %%rbp, %%r10\n\tmov %%rsp, %%r11\n\t"
			 "mov %0, %%rbp\n\tlea -48(%%rbp), %%rsp\n\t"
			 "movb $1, (%1)\n\t"
			 "mov %%r11, %%rsp\n\tmov %%r10, %%rbp"
			 :
			 : "r"(fp), "r"(page)
			 : "memory", "r10", "r11");
}
