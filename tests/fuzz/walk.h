/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * How an input becomes a walk: architecture, options, registers; what is left is the
 * memory, drawn where it is read. The process is that of the bundled stacks.
 */

#include "fuzz.h"

#include "../core/sane.h"
#include "../../sim/mem/lazy.h"

/* Worth pointing to: texts, V8's heap, the stack itself. */
static const u64 fuzz_hints[] = {
	APP_TEXT,	   LIBC_TEXT,  BUILTINS_TEXT,	   JIT_TEXT,	FAR48_TEXT,
	TAGGED(HEAP_ADDR), STACK_ADDR, STACK_ADDR + 0xf80, JIT(0x8000), TAGGED(HEAP_ADDR) + 64
};
#define FUZZ_N_HINTS (sizeof(fuzz_hints) / sizeof(fuzz_hints[0]))

/* A register: near a hint, or anything. */
static inline u64 fuzz_reg(struct fuzz_input *in)
{
	u8 k = fuzz_u8(in);

	if (k >= 240)
		return fuzz_u64(in);
	return fuzz_hints[k % FUZZ_N_HINTS] + (u64)fuzz_u8(in) * (k & 16 ? 8 : 1);
}

/**
 * fuzz_target_init() - the target without an input
 *
 * For the process's whole life.
 */
static inline void fuzz_target_init(struct sim_target *t)
{
	FUZZ_MUST(!sim_lazy_new(fuzz_hints, FUZZ_N_HINTS, &t->mem), "no memory");
	t->mappings = stack_mappings;
	t->n_mappings = STACK_N_MAPPINGS;
	t->v8_builds = stack_v8_builds;
	t->n_v8_builds = STACK_N_V8_BUILDS;
}

/* Returns which architecture the input is for. */
static inline const struct arch_row *fuzz_target(struct sim_target *t, struct fuzz_input *in)
{
	static const u64 va_masks[] = { VA47, VA48, VA39, VA52 };
	u8 k = fuzz_u8(in);

	t->va_mask = va_masks[k >> 1 & 3];
	t->extent = k & 0xf0 ? STACK_N_MAPPINGS : 0;
	t->regs.pc = fuzz_reg(in);
	t->regs.sp = k & 8 ? fuzz_reg(in) : STACK_ADDR + (u64)fuzz_u8(in) * 8;
	t->regs.fp = fuzz_u8(in) & 1 ? t->regs.sp + (u64)fuzz_u8(in) * 8 : fuzz_reg(in);
	t->regs.lr = fuzz_reg(in);
	return &arch_rows[k & 1];
}

/* The memory anew, for each engine that is to see the same. */
static inline void fuzz_memory(struct sim_target *t, const struct fuzz_input *in)
{
	sim_lazy_reset(t->mem, in->data, in->left);
}
