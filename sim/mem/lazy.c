// SPDX-License-Identifier: BSD-2-Clause

#include "lazy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_SLOTS 512 /* a power of two */
#define PAGE_WORDS (SIM_PAGE_LEN / 8)

struct page {
	u64 number;
	bool is_there;
	u64 drawn[PAGE_WORDS / 64]; /* one bit for each word */
	u64 words[PAGE_WORDS];
};

struct slot {
	u32 run; /* 0, or the number of the run in which the page was drawn */
	u32 page;
};

struct lazy {
	struct sim_mem mem;
	const u64 *hints;
	u32 n_hints;
	const u8 *input;
	u64 left;
	u32 run;
	u32 n_pages; /* number of pages drawn in this run */
	struct page *last; /* the page read last in this run, or NULL */
	struct slot slots[N_SLOTS];
	struct page pages[SIM_LAZY_PAGES];
};

static u8 next_byte(struct lazy *l)
{
	if (!l->left)
		return 0;
	l->left--;
	return *l->input++;
}

static u64 draw_word(struct lazy *l, u64 addr)
{
	u64 word = 0;
	u8 k;

	if (!l->left)
		return 0;
	k = next_byte(l);
	if (k < 128)
		return addr + 8 * (k + 1ull);
	if (k < 224 && l->n_hints)
		return l->hints[k % l->n_hints] + next_byte(l);
	for (u32 i = 0; i < 8; i++)
		word |= (u64)next_byte(l) << i * 8;
	return word;
}

/*
 * Returns the page with this number, which is drawn if it is new; NULL if the run has reached the
 * limit.
 */
static struct page *page_of(struct lazy *l, u64 number)
{
	u32 i = (u32)(number * 0x9e3779b97f4a7c15ull >> 40) & (N_SLOTS - 1);
	struct page *page;

	while (l->slots[i].run == l->run && l->pages[l->slots[i].page].number != number)
		i = (i + 1) & (N_SLOTS - 1);
	if (l->slots[i].run == l->run)
		return &l->pages[l->slots[i].page];
	if (l->n_pages == SIM_LAZY_PAGES)
		return NULL;
	l->slots[i] = (struct slot){ l->run, l->n_pages };
	page = &l->pages[l->n_pages++];
	page->number = number;
	page->is_there = l->left && next_byte(l) >= 24;
	memset(page->drawn, 0, sizeof(page->drawn));
	return page;
}

/* Draws word @i + n of the page for each bit n that is set in @missing. */
static void draw_words(struct lazy *l, struct page *page, u32 i, u64 missing)
{
	if (!l->left && missing == ~0ull) {
		memset(page->words + i, 0, 64 * sizeof(u64));
		return;
	}
	for (; missing; missing &= missing - 1) {
		u32 at = i + (u32)__builtin_ctzll(missing);

		page->words[at] = draw_word(l, page->number * SIM_PAGE_LEN + 8ull * at);
	}
}

/* Draws the words @first to @last of a page, unless they have already been drawn. */
static void have_words(struct lazy *l, struct page *page, u32 first, u32 last)
{
	for (u32 group = first / 64; group <= last / 64; group++) {
		u64 wanted = ~0ull;

		if (group == first / 64)
			wanted &= ~0ull << first % 64;
		if (group == last / 64)
			wanted &= ~0ull >> (63 - last % 64);
		draw_words(l, page, group * 64, wanted & ~page->drawn[group]);
		page->drawn[group] |= wanted;
	}
}

static int lazy_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	struct lazy *l = (struct lazy *)mem;
	u8 *to = dst;

	while (len) {
		u32 off = addr % SIM_PAGE_LEN;
		u32 n = SIM_PAGE_LEN - off < len ? SIM_PAGE_LEN - off : len;
		struct page *page = l->last;

		if (addr >= SIM_ADDR_LIMIT)
			return SIM_FAULT;
		if (!page || page->number != addr / SIM_PAGE_LEN)
			page = l->last = page_of(l, addr / SIM_PAGE_LEN);
		if (!page || !page->is_there)
			return SIM_FAULT;
		have_words(l, page, off / 8, (off + n - 1) / 8);
		memcpy(to, (const u8 *)page->words + off, n);
		to += n;
		addr += n;
		len -= n;
	}
	return 0;
}

static void lazy_free(struct sim_mem *mem)
{
	free(mem);
}

static const struct sim_mem_ops lazy_ops = { "lazy", lazy_read, lazy_free };

int sim_lazy_new(const u64 *hints, u32 n_hints, struct sim_mem **out)
{
	struct lazy *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->mem.ops = &lazy_ops;
	l->hints = hints;
	l->n_hints = n_hints;
	l->run = 1;
	*out = &l->mem;
	return 0;
}

void sim_lazy_reset(struct sim_mem *mem, const u8 *input, u64 len)
{
	struct lazy *l = (struct lazy *)mem;

	l->input = input;
	l->left = len;
	l->n_pages = 0;
	l->last = NULL;
	if (++l->run)
		return;
	memset(l->slots, 0, sizeof(l->slots));
	l->run = 1;
}
