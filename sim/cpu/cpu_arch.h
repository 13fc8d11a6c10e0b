/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the CPU must know of an architecture; private to sim/cpu. */

#include <unicorn/unicorn.h>

#include "../../core/types.h"

enum cpu_insn { CPU_PLAIN, CPU_CALL, CPU_RETURN, CPU_SYSCALL };

struct cpu_arch {
	uc_arch arch;
	uc_mode mode;
	int model; /* UC_CPU_*, -1: the default */
	int pc, sp, fp, lr; /* UC_*_REG_*, lr -1: there is none */
	/* What an instruction does to the shadow stack. */
	enum cpu_insn (*kind)(const u8 *code, u32 len);
	/* Before memory is mapped; 0 or -ENOTSUP. */
	int (*prepare)(uc_engine *uc);
};

extern const struct cpu_arch cpu_x86_64;
extern const struct cpu_arch cpu_arm64;
