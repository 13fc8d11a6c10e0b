/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The data about an architecture that the emulated CPU needs; private to sim/cpu. */

#include <unicorn/unicorn.h>

#include "../../core/native/row.h"

enum cpu_insn {
	CPU_PLAIN, /* any other instruction, including jumps */
	CPU_CALL,
	CPU_RETURN,
	CPU_SYSCALL,
	CPU_MODE, /* an instruction that could change the meaning of addresses or instructions */
};

#define CPU_DEFAULT_MODEL (-1)
#define CPU_NO_REG (-1)

struct cpu_arch {
	uc_arch arch;
	uc_mode mode;
	int model; /* UC_CPU_*, or CPU_DEFAULT_MODEL */
	int pc, sp, fp, lr; /* UC_*_REG_*; lr may be CPU_NO_REG */
	int scratch[UW_N_SCRATCH], n_scratch;
	u8 insn_align;
	u8 ra_len; /* number of bytes that a call pushes on the stack */
	/* Returns the effect of an instruction on the shadow stack; @len: 1 .. CPU_CODE_LEN */
	enum cpu_insn (*kind)(const u8 *code, u32 len);
	/* Called before memory is mapped. Returns 0 or -ENOTSUP. */
	int (*prepare)(uc_engine *uc);
};

extern const struct cpu_arch cpu_x86_64;
extern const struct cpu_arch cpu_arm64;
