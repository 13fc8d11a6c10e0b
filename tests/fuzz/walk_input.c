// SPDX-License-Identifier: BSD-2-Clause

#include "walk.h"

#include "../../fixtures/stacks/layout.h"
#include "../../sim/mem/lazy.h"

/* Worth pointing to: texts, V8's heap, the stack itself. */
static const u64 hints[] = {
	APP_TEXT,	   LIBC_TEXT,  BUILTINS_TEXT,	   JIT_TEXT,	FAR48_TEXT,
	TAGGED(HEAP_ADDR), STACK_ADDR, STACK_ADDR + 0xf80, JIT(0x8000), TAGGED(HEAP_ADDR) + 64
};
#define N_HINTS (sizeof(hints) / sizeof(hints[0]))

/* A register: near a hint, or anything. */
static u64 draw_reg(struct fuzz_input *in)
{
	u8 k = fuzz_u8(in);

	if (k >= 240)
		return fuzz_u64(in);
	return hints[k % N_HINTS] + (u64)fuzz_u8(in) * (k & 16 ? 8 : 1);
}

static void target_init(struct sim_target *t)
{
	FUZZ_MUST(!sim_lazy_new(hints, N_HINTS, &t->mem), "no memory");
	t->mappings = stack_mappings;
	t->n_mappings = STACK_N_MAPPINGS;
	t->v8_builds = stack_v8_builds;
	t->n_v8_builds = STACK_N_V8_BUILDS;
}

u32 fuzz_target(struct sim_target *t, struct fuzz_input *in)
{
	static const u64 va_masks[] = { VA47, VA48, VA39, VA52 };
	u8 k = fuzz_u8(in);

	if (!t->mem)
		target_init(t);
	t->va_mask = va_masks[k >> 1 & 3];
	t->extent = k & 0xf0 ? STACK_N_MAPPINGS : 0;
	t->regs.pc = draw_reg(in);
	t->regs.sp = k & 8 ? draw_reg(in) : STACK_ADDR + (u64)fuzz_u8(in) * 8;
	t->regs.fp = fuzz_u8(in) & 1 ? t->regs.sp + (u64)fuzz_u8(in) * 8 : draw_reg(in);
	t->regs.lr = draw_reg(in);
	return k & 1;
}

void fuzz_memory(struct sim_target *t, const struct fuzz_input *in)
{
	sim_lazy_reset(t->mem, in->data, in->left);
}
