/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Executes call frame instructions (DWARF 5, 6.4.2) for the registers that a walk tracks. Each
 * advance of the location reports the state of the range before the new location.
 */

#include "cfi_entries.h"

/* Register numbers (System V ABI, x86-64 psABI 1.0 figure 3.36; AADWARF64 2023Q3 4.1). */
struct cfi_regs {
	u8 sp, fp, ra;
	u8 drap; /* register with the argument pointer while gcc aligns a frame; sp if there is
		  * no such register */
	bool has_lr; /* ra is a real register, not only a column of the table */
};

/* How the last DW_CFA_* instruction defines a register or the CFA. */
enum cfi_how {
	CFI_UNSET,
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_OFFSET, /* for the CFA: reg + off; for a register: *(CFA + off) */
	CFI_VAL_OFFSET, /* CFA + off */
	CFI_REGISTER, /* reg */
	CFI_EXPR, /* for the CFA: value of the expression; for a register: *(value) */
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
	u64 from, to; /* the requested range, as link-time addresses */
	u32 work; /* limit of instructions, counted down */

	/* Called with the state of each range inside [from, to), in order. */
	void (*fn)(const struct cfi_state *s, u64 start, u64 end, void *data);
	void *data;
};

/*
 * Executes the instructions. Return: 0, -ENOEXEC (malformed) or -E2BIG (limit reached). After an
 * error, the ranges before the faulty instruction have been reported.
 */
int cfi_run(struct cfi_run *r);
