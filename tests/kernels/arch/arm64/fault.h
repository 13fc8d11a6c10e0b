/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../../../core/types.h"

#define ARCH_IS_ARM64 1
#define ARCH_FAULT_SP 48 /* distance of sp below fp at the fault, in bytes */

/* Stores to @page with the frame pointer set to @fp and sp set just below @fp. */
static __attribute__((noinline, unused)) void arch_fault(u64 fp, volatile char *page)
{
	__asm__ volatile("mov x9, x29\n\tmov x10, sp\n\tsub x11, %0, #48\n\t"
			 "mov x29, %0\n\tmov sp, x11\n\t"
			 "strb wzr, [%1]\n\t"
			 "mov sp, x10\n\tmov x29, x9"
			 :
			 : "r"(fp), "r"(page)
			 : "memory", "x9", "x10", "x11");
}
