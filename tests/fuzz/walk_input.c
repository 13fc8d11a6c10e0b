// SPDX-License-Identifier: BSD-2-Clause

#include "walk.h"

#include "../../sim/mem/lazy.h"

/* Likely pointer values: texts, V8's heap, the stack itself. */
static const u64 hints[] = {
	APP_TEXT,	   LIBC_TEXT,  BUILTINS_TEXT,	   JIT_TEXT,	FAR48_TEXT,
	TAGGED(HEAP_ADDR), STACK_ADDR, STACK_ADDR + 0xf80, JIT(0x8000), TAGGED(HEAP_ADDR) + 64
};
#define N_HINTS (sizeof(hints) / sizeof(hints[0]))

/* Draws a register: an address near a hint, or any value. */
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
	t->rows = stack_rows;
	t->n_rows = STACK_N_ROWS;
	t->n_rules = STACK_N_RULES;
	t->mappings = stack_mappings;
	t->n_mappings = STACK_N_MAPPINGS;
	t->v8_builds = stack_v8_builds;
	t->n_v8_builds = STACK_N_V8_BUILDS;
}

/* Draws the rows: the usual ones, none loaded for APP, or any rule in place of APP's usual one. */
static void draw_rows(struct sim_target *t, struct fuzz_input *in)
{
	static struct uw_rule rules[STACK_N_RULES];
	u8 k = fuzz_u8(in);
	u32 first = k == 1 ? STACK_N_APP_ROW_PAGES : 0;

	t->rules = stack_rules;
	t->row_pages = stack_row_pages + first;
	t->n_row_pages = STACK_N_ROW_PAGES - first;
	if (k < 2)
		return;
	memcpy(rules, stack_rules, sizeof(rules));
	rules[RULE_RECORD] = (struct uw_rule){
		.cfa_off = (s8)fuzz_u8(in) * (k & 16 ? 1 : 8),
		.ra_off = (s8)fuzz_u8(in) * 8,
		.fp_off = k & 32 ? (s32)fuzz_u64(in) : (s8)fuzz_u8(in) * 8,
		.cfa = k % (UW_N_CFAS + 1),
		.ra = fuzz_u8(in) % (UW_N_SAVED + 1),
		.fp = fuzz_u8(in) % (UW_N_SAVED + 1),
		.cfa_add = (s8)fuzz_u8(in),
	};
	t->rules = rules;
}

void fuzz_awaits(struct sim_target *t)
{
	static struct dotnet_await awaits[] = {
		{ .key = CLR(0x100),
		  .slot = 16,
		  .off = 8,
		  .from = 0x18,
		  .flags = DOTNET_AWAIT_BY_MACHINE },
		{ .key = OLD_CLR(0x100), .slot = 16, .off = 8, .flags = DOTNET_AWAIT_IN_TASK },
		{ .key = FUZZ_TYPE_8, .off = 8 },
		{ .key = FUZZ_TYPE_16, .off = 16 },
		{ .key = FUZZ_TYPE_END },
		{ .key = DOTNET_THREAD_KEY(0), .hijack_addr = FUZZ_HIJACK_ADDR },
	};

	t->awaits = awaits;
	t->n_awaits = t->process_key ? sizeof(awaits) / sizeof(awaits[0]) : 0;
	for (u32 i = 0; i < t->n_awaits; i++)
		awaits[i].process_key = t->process_key;
}

u32 fuzz_target(struct sim_target *t, struct fuzz_input *in)
{
	static const u64 va_masks[] = { VA47, VA48, VA39, VA52 };
	static u64 n_with_cache;
	u8 k = fuzz_u8(in);

	if (!t->mem)
		target_init(t);
	/* Another process for each input, so that its result does not depend on previous inputs. */
	t->process_key = k & 0x80 ? ++n_with_cache : 0;
	fuzz_awaits(t);
	t->va_mask = va_masks[k >> 1 & 3];
	t->extent = k & 0xf0 ? STACK_N_MAPPINGS : 0;
	t->sample_flags = k & 0x40 ? UW_SAMPLE_IN_SYSCALL : 0;
	t->regs.pc = draw_reg(in);
	t->regs.sp = k & 8 ? draw_reg(in) : STACK_ADDR + (u64)fuzz_u8(in) * 8;
	t->regs.fp = fuzz_u8(in) & 1 ? t->regs.sp + (u64)fuzz_u8(in) * 8 : draw_reg(in);
	t->regs.lr = draw_reg(in);
	for (int i = 0; i < UW_N_SCRATCH; i++)
		t->regs.scratch[i] = draw_reg(in);
	draw_rows(t, in);
	return k & 1;
}

void fuzz_memory(struct sim_target *t, const struct fuzz_input *in)
{
	sim_lazy_reset(t->mem, in->data, in->left);
}
