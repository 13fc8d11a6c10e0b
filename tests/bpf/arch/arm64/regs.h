/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* arm64: registers as a sample brings them. The same symbols as the other regs.h. */

#define HAS_LR true
#define USUAL_VA_MASK VA48
#define STACK_ARCH STACK_ARM64
#define LARGEST_VA_MASK VA52
#define LOWEST_KERNEL_PC 0xfff0000000000000ull /* with 52 bits; 0xffff000000000000 with 48 */

/* x19 is the interpreter's bytecode offset, x20 its BytecodeArray. */
static inline struct arch_pt_regs pt_regs_of(const struct uw_regs *r, u64 offset, u64 array)
{
	return (struct arch_pt_regs){
		.pc = r->pc,
		.sp = r->sp,
		.x = { [19] = offset, [20] = array, [29] = r->fp, [30] = r->lr }
	};
}
