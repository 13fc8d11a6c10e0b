// SPDX-License-Identifier: BSD-2-Clause

#include "surround.h"

#include "../util/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_STACK_LEN (256u << 10)

/* Copies a page if it is mapped; an unmapped page is not an error. */
static int copy_page(struct pages *p, const struct areas *areas, struct target *memory, u64 addr)
{
	u8 bytes[PAGE_LEN];

	if (!areas_find(areas, addr) || target_read(memory, addr, bytes, sizeof(bytes)))
		return 0;
	return pages_put(p, addr, bytes, sizeof(bytes), BYTE_COPIED);
}

/* Copies the whole of each page that was read, and both neighbours of the page. */
static int copy_neighbours(struct pages *p, const struct areas *areas, struct target *memory)
{
	_cleanup_free_ u64 *read = calloc(p->n + 1, sizeof(*read));
	u32 n = p->n;
	int err = 0;

	if (!read)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++)
		read[i] = p->v[i]->addr;
	for (u32 i = 0; !err && i < n; i++)
		for (s32 side = -1; !err && side <= 1; side++)
			err = copy_page(p, areas, memory, read[i] + (u64)(s64)side * PAGE_LEN);
	return err;
}

/* Copies the stack from sp to its last page that the walk read. */
static int copy_stack(struct pages *p, const struct areas *areas, struct target *memory, u64 sp)
{
	const struct area *stack = areas_find(areas, sp);
	u64 addr = sp & ~(u64)(PAGE_LEN - 1), end = addr + PAGE_LEN;
	int err = 0;

	for (u32 i = 0; stack && i < p->n; i++)
		if (p->v[i]->addr >= addr && p->v[i]->addr < stack->end_addr)
			end = p->v[i]->addr + PAGE_LEN;
	if (end > addr + MAX_STACK_LEN)
		end = addr + MAX_STACK_LEN;
	for (; !err && addr < end; addr += PAGE_LEN)
		err = copy_page(p, areas, memory, addr);
	return err;
}

static void describe(struct pages *p, const struct areas *areas)
{
	for (u32 i = 0; i < p->n; i++) {
		struct page *page = p->v[i];
		const struct area *area = areas_find(areas, page->addr);

		page->holds = area ? area->holds : (u8)CASE_OTHER;
		page->prot = area ? area->prot : 0;
	}
}

int pages_surround(struct pages *p, const struct areas *areas, struct target *memory, u64 sp)
{
	int err = copy_stack(p, areas, memory, sp);

	if (!err)
		err = copy_neighbours(p, areas, memory);
	if (!err)
		describe(p, areas);
	return err;
}
