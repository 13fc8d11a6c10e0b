// SPDX-License-Identifier: BSD-2-Clause

#include "prefetch.h"

#include <sys/uio.h>

#include "../symbols/module.h"

#define STACK_LEN (64u << 10) /* number of bytes of a stack that are searched */
#define PIECE_LEN 4096u /* the stack is read in pieces; unmapped pieces are skipped */
#define MAX_PAGES 256 /* pages prefetched for one stack */

/*
 * Finds the mapping that contains an address, and the page of the file at that address. Return:
 * NULL if there is none.
 */
static const struct mapping *page_at(const struct process *p, u64 addr, u32 *page)
{
	const struct mapping *m = mappings_find(p->maps, addr);
	u64 at = m ? (addr - m->start_addr + m->file_off) / UW_ROW_PAGE_LEN : 0;

	*page = (u32)at;
	return m && m->module && m->module != MODULE_NONE && at <= ~0u ? m : NULL;
}

/* Prefetches rows for all words that may be return addresses. Return: number of pages requested. */
static u32 prefetch_words(struct row_filler *rows, const struct process *p, const u64 *words, u32 n)
{
	u32 n_pages = 0;

	for (u32 i = 0; i < n; i++) {
		u32 page;
		const struct mapping *m = page_at(p, words[i] - 1, &page);

		if (m)
			n_pages += row_filler_prefetch(rows, m->module, page);
	}
	return n_pages;
}

static void prefetch(struct row_filler *rows, const struct process *p, u64 from_addr, u64 to_addr)
{
	u64 words[PIECE_LEN / 8];
	u32 n_pages = 0;

	for (u64 at = from_addr & ~7ull; at < to_addr && n_pages < MAX_PAGES;) {
		u64 end = (at | (PIECE_LEN - 1)) + 1;
		struct iovec to = { words, end - at }, from = { (void *)at, end - at };

		if (process_vm_readv((int)p->pid, &to, 1, &from, 1, 0) == (ssize_t)(end - at))
			n_pages += prefetch_words(rows, p, words, (u32)(end - at) / 8);
		at = end;
	}
}

void prefetch_stack(struct row_filler *rows, const struct process *p, u64 sp)
{
	if (sp && sp + STACK_LEN > sp)
		prefetch(rows, p, sp, sp + STACK_LEN);
}

/* The stack of the main thread starts just below the environment. */
void prefetch_first_stack(struct row_filler *rows, const struct process *p)
{
	if (p->env_end > STACK_LEN)
		prefetch(rows, p, p->env_end - STACK_LEN, p->env_end);
}

void prefetch_missed(struct row_filler *rows, const struct process *p, u64 pc)
{
	u32 page;
	const struct mapping *m = page_at(p, pc, &page);

	if (m)
		row_filler_miss(rows, m->module, page);
}
