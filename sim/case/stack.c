// SPDX-License-Identifier: BSD-2-Clause

/* Makes memory, tables and registers from a stack's words and the address plan. */

#include "stack.h"

#include "../../fixtures/stacks/layout.h"
#include "../../inspect/util/array.h"
#include "../mem/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of mappings of other processes before the target's mappings, and again after them. The pcs
 * that a walk of the target must not know are in these mappings.
 */
#define N_DECOYS 3
static const struct uw_mapping decoy = {
	0x200000000000, 0x200000001000, 0, 99, UW_MAP_NATIVE, 0, 0
};

static const struct uw_mapping *mapping_pool(void)
{
	static _Thread_local struct uw_mapping pool[N_DECOYS + STACK_N_MAPPINGS + N_DECOYS];

	for (u32 i = 0; i < N_DECOYS; i++)
		pool[i] = pool[N_DECOYS + STACK_N_MAPPINGS + i] = decoy;
	memcpy(pool + N_DECOYS, stack_mappings, sizeof(stack_mappings));
	return pool;
}

static int map_plan(struct sim_mem *mem, u64 stack_len)
{
	static const u64 texts[] = { APP_TEXT, LIBC_TEXT, BUILTINS_TEXT,
				     JIT_TEXT, CLR_TEXT,  CLR_TEXT + 0xa000 };
	int err = sim_image_map(mem, HEAP_ADDR, HEAP_LEN, SIM_READ | SIM_WRITE);

	if (!err)
		err = sim_image_map(mem, OLD_CLR_TEXT, OLD_CLR_LEN, SIM_READ | SIM_EXEC);
	for (u32 i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = sim_image_map(mem, texts[i], TEXT_LEN, SIM_READ | SIM_EXEC);
	return err ? err : sim_image_map(mem, STACK_ADDR, stack_len, SIM_READ | SIM_WRITE);
}

static int spoil_page(struct sim_mem *mem, const struct stack *stack)
{
	switch (stack->bad_page) {
	case STACK_PAGE_UNMAPPED:
		return sim_image_unmap(mem, stack->bad_page_addr, SIM_PAGE_LEN);
	case STACK_PAGE_ABSENT:
		return sim_image_set_present(mem, stack->bad_page_addr, SIM_PAGE_LEN, false);
	case STACK_PAGE_NO_ACCESS:
		return sim_image_protect(mem, stack->bad_page_addr, SIM_PAGE_LEN, 0);
	default:
		return 0;
	}
}

static int lay_out(struct sim_mem *mem, const struct stack *stack)
{
	u64 len = (u64)stack->n_words * 8;
	int err = map_plan(mem, (len + SIM_PAGE_LEN - 1) & ~(u64)(SIM_PAGE_LEN - 1));

	if (!err)
		err = sim_image_write(mem, STACK_ADDR, stack->words, len);
	if (stack->objects && !err)
		err = sim_image_write(mem, PROMISES_ADDR, stack->objects, stack->n_objects * 8ull);
	for (u32 i = 0; i < ARRAY_SIZE(stack->pokes) && stack->pokes[i].addr && !err; i++)
		err = sim_image_write(mem, stack->pokes[i].addr, &stack->pokes[i].word, 8);
	return err ? err : spoil_page(mem, stack);
}

int sim_stack_target(const struct stack *stack, u32 arch, struct sim_target *out)
{
	struct sim_mem *mem = NULL;
	int err = sim_image_new(&mem);
	u32 first_page;

	if (err)
		return err;
	err = lay_out(mem, stack);
	if (err) {
		sim_mem_free(&mem);
		return err;
	}
	first_page = stack->no_rows ? STACK_N_APP_ROW_PAGES : 0;
	*out = (struct sim_target){
		.mem = mem,
		.mappings = mapping_pool(),
		.n_mappings = N_DECOYS + STACK_N_MAPPINGS + N_DECOYS,
		.v8_builds = stack_v8_builds,
		.n_v8_builds = STACK_N_V8_BUILDS,
		.row_pages = stack_row_pages + first_page,
		.n_row_pages = STACK_N_ROW_PAGES - first_page,
		.rows = stack_rows,
		.n_rows = STACK_N_ROWS,
		.rules = stack_rules,
		.n_rules = STACK_N_RULES,
		.regs = stack->regs,
		.extent = stack->no_tables ? 0 : (u64)N_DECOYS << 32 | STACK_N_MAPPINGS,
		.sample_flags = stack->sample_flags,
		.va_mask = stack->va_mask	 ? stack->va_mask
			   : arch == STACK_ARM64 ? VA48
						 : VA47,
	};
	return 0;
}

const char *sim_status_words(u32 status)
{
	static const char *const words[] = {
#define X(name, class, words, meaning) words,
		UW_STATUS_LIST(X)
#undef X
	};

	return status < UW_N_STATUS ? words[status] : "?";
}

const char *sim_kind_words(u32 kind)
{
	static const char *const words[UW_N_KINDS] = {
		"unknown", "kernel",	    "native",	  "v8 stub",	 "v8 js",
		"v8 code", "dotnet method", "dotnet r2r", "dotnet stub", "dotnet awaiter",
	};

	return kind < UW_N_KINDS ? words[kind] : "?";
}
