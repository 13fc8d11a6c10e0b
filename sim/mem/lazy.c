// SPDX-License-Identifier: BSD-2-Clause

#include "lazy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_SLOTS (2 * SIM_LAZY_WORDS) /* a power of two */
#define N_PAGE_SLOTS 1024
#define MAX_PAGES 512

enum { PAGE_ABSENT = 1, PAGE_THERE };

struct slot {
	u64 addr;
	u64 value; /* of a page: one of the above */
	u32 run; /* 0, or the reset after which it was drawn */
};

struct table {
	struct slot *slots;
	u32 n_slots, n_used, max_used;
};

struct lazy {
	struct sim_mem mem;
	const u64 *hints;
	u32 n_hints;
	const u8 *input;
	u64 left;
	u32 run;
	struct table words, pages;
	struct slot word_slots[N_SLOTS], page_slots[N_PAGE_SLOTS];
};

static u8 next_byte(struct lazy *l)
{
	if (!l->left)
		return 0;
	l->left--;
	return *l->input++;
}

/* The slot of @addr, or a free one; NULL when the run has drawn all it may. */
static struct slot *find(struct lazy *l, struct table *t, u64 addr)
{
	u32 i = (u32)(addr * 0x9e3779b97f4a7c15ull >> 40) & (t->n_slots - 1);

	while (t->slots[i].run == l->run && t->slots[i].addr != addr)
		i = (i + 1) & (t->n_slots - 1);
	if (t->slots[i].run == l->run)
		return &t->slots[i];
	if (t->n_used == t->max_used)
		return NULL;
	t->n_used++;
	t->slots[i] = (struct slot){ .addr = addr };
	return &t->slots[i];
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

static bool has_page(struct lazy *l, u64 addr)
{
	struct slot *s = find(l, &l->pages, addr / SIM_PAGE_LEN);

	if (!s)
		return false;
	if (s->run != l->run) {
		s->value = !l->left || next_byte(l) < 24 ? PAGE_ABSENT : PAGE_THERE;
		s->run = l->run;
	}
	return s->value == PAGE_THERE;
}

static int read_word(struct lazy *l, u64 addr, u64 *word)
{
	struct slot *s;

	if (!has_page(l, addr))
		return SIM_FAULT;
	s = find(l, &l->words, addr);
	if (!s)
		return SIM_FAULT;
	if (s->run != l->run) {
		s->value = draw_word(l, addr);
		s->run = l->run;
	}
	*word = s->value;
	return 0;
}

static int lazy_read(struct sim_mem *mem, void *dst, u32 len, u64 addr)
{
	struct lazy *l = (struct lazy *)mem;
	u8 *to = dst;

	while (len) {
		u32 off = addr & 7, n = 8 - off < len ? 8 - off : len;
		u64 word;
		int err = read_word(l, addr - off, &word);

		if (err)
			return err;
		memcpy(to, (u8 *)&word + off, n);
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
	l->words = (struct table){ l->word_slots, N_SLOTS, 0, SIM_LAZY_WORDS };
	l->pages = (struct table){ l->page_slots, N_PAGE_SLOTS, 0, MAX_PAGES };
	*out = &l->mem;
	return 0;
}

void sim_lazy_reset(struct sim_mem *mem, const u8 *input, u64 len)
{
	struct lazy *l = (struct lazy *)mem;

	l->input = input;
	l->left = len;
	l->words.n_used = l->pages.n_used = 0;
	if (++l->run)
		return;
	memset(l->word_slots, 0, sizeof(l->word_slots));
	memset(l->page_slots, 0, sizeof(l->page_slots));
	l->run = 1;
}
