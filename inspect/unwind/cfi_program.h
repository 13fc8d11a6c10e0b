/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Call frame instructions (DWARF 5, 6.4.2), run for the registers that a walk
 * follows: each change of place gives the state that held up to there.
 */

#include "cfi_entries.h"

/* Numbers of registers (System V ABI, x86-64 psABI 1.0 figure 3.36; AADWARF64 2023Q3 4.1). */
struct cfi_regs {
	u8 sp, fp, ra;
	u8 drap; /* holds the argument pointer while gcc aligns a frame; sp where there is none */
	bool has_lr; /* ra is a register, not only a column */
};

/* DW_CFA_* that made it so. */
enum cfi_how {
	CFI_UNSET,
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_OFFSET, /* CFA: reg + off; else *(CFA + off) */
	CFI_VAL_OFFSET, /* CFA + off */
	CFI_REGISTER, /* reg */
	CFI_EXPR, /* CFA: value of the expression; else *(value) */
	CFI_VAL_EXPR,
};

struct cfi_value {
	enum cfi_how how;
	u32 expr_len;
	u64 reg;
	s64 off;
	const u8 *expr;
};

struct cfi_state {
	struct cfi_value cfa, sp, fp, ra;
};

struct cfi_run {
	const struct cfi_regs *regs;
	const struct cfi_fde *fde;
	u64 from, to; /* link-time addresses that are asked for */
	u32 work; /* instructions that may be run; what is left of them */

	/* Called for each range inside [from, to), in order. */
	void (*fn)(const struct cfi_state *s, u64 start, u64 end, void *data);
	void *data;
};

/* 0, -ENOEXEC (not well-formed) or -E2BIG (work used up); ranges before the fault were told. */
int cfi_run(struct cfi_run *r);
