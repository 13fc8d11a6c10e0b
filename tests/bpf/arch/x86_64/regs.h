/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* x86-64: registers as a sample brings them. The same symbols as the other regs.h. */

#define HAS_LR false
#define USUAL_VA_MASK VA47
#define STACK_ARCH STACK_X86_64
#define LARGEST_VA_MASK ((1ull << 56) - 1)
#define LOWEST_KERNEL_PC 0xff00000000000000ull /* with 57 bits; 0xffff800000000000 with 48 */

/* r9 is the interpreter's bytecode offset, r12 its BytecodeArray (v8, interface descriptors x64).
 */
static inline struct arch_pt_regs pt_regs_of(const struct uw_regs *r, u64 offset, u64 array)
{
	return (struct arch_pt_regs){
		.ip = r->pc, .sp = r->sp, .bp = r->fp, .r9 = offset, .r12 = array, .cs = 0x33
	};
}
