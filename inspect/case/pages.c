// SPDX-License-Identifier: BSD-2-Clause

#include "pages.h"

#include "../util/array.h"
#include "../util/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pages_deinit(struct pages *p)
{
	for (u32 i = 0; i < p->n; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct pages){ 0 };
}

/* Index of the first page at or above @addr. */
static u32 first_from(const struct pages *p, u64 addr)
{
	return (u32)search_first(p->n, i, p->v[i]->addr < addr);
}

struct page *pages_find(const struct pages *p, u64 addr)
{
	u64 at = addr & ~(u64)(PAGE_LEN - 1);
	u32 i = first_from(p, at);

	return i < p->n && p->v[i]->addr == at ? p->v[i] : NULL;
}

static int get_page(struct pages *p, u64 addr, struct page **out)
{
	u64 at = addr & ~(u64)(PAGE_LEN - 1);
	struct page *page = pages_find(p, at);
	u32 i = first_from(p, at);

	if (page) {
		*out = page;
		return 0;
	}
	if (p->n == PAGES_MAX)
		return -E2BIG;
	if (array_reserve(p->v, p->room, p->n + 1))
		return -ENOMEM;
	page = calloc(1, sizeof(*page));
	if (!page)
		return -ENOMEM;
	page->addr = at;
	memmove(p->v + i + 1, p->v + i, (p->n - i) * sizeof(*p->v));
	p->v[i] = page;
	p->n++;
	*out = page;
	return 0;
}

static int put_byte(struct page *page, u32 off, u8 byte, enum byte_state state)
{
	u8 *was = &page->state[off];

	if (state == BYTE_READ && *was == BYTE_FAULT)
		*was = BYTE_NONE; /* another read, of fewer bytes, could read this byte */
	if (state == BYTE_READ && *was == BYTE_READ && page->bytes[off] != byte)
		return -ESTALE;
	if (*was == BYTE_NONE || (state == BYTE_TEXT && *was == BYTE_NAMED)) {
		page->bytes[off] = byte;
		*was = (u8)state;
	}
	return 0;
}

int pages_put(struct pages *p, u64 addr, const void *bytes, u64 len, enum byte_state state)
{
	struct page *page = NULL;
	int err = 0;

	for (u64 i = 0; !err && i < len; i++) {
		u32 off = (u32)((addr + i) & (PAGE_LEN - 1));

		if (!page || !off)
			err = get_page(p, addr + i, &page);
		if (!err)
			err = put_byte(page, off, ((const u8 *)bytes)[i], state);
	}
	return err;
}

int pages_put_fault(struct pages *p, u64 addr, u64 len)
{
	struct page *page = NULL;
	u64 n_faults = 0;
	int err = 0;

	for (u64 i = 0; !err && i < len; i++) {
		u32 off = (u32)((addr + i) & (PAGE_LEN - 1));

		if (!page || !off)
			err = get_page(p, addr + i, &page);
		if (err)
			break;
		if (page->state[off] == BYTE_NONE)
			page->state[off] = BYTE_FAULT;
		n_faults += page->state[off] == BYTE_FAULT;
	}
	return err ? err : n_faults ? 0 : -ESTALE;
}

static enum case_holds holds_of(const struct page *page, u32 off)
{
	return page->state[off] == BYTE_TEXT ? CASE_STRINGS : page->holds;
}

static enum case_origin origin_of(const struct page *page, u32 off)
{
	return page->state[off] == BYTE_READ ? CASE_BY_WALK : CASE_COPIED;
}

/* Bytes read for a name and bytes copied beside them form one range if both are included. */
static u8 kind_of(u8 state, bool minimal)
{
	if (state == BYTE_COPIED)
		return minimal ? BYTE_NONE : BYTE_NAMED;
	return state;
}

/* Appends each run of bytes of one kind in a page; if the arrays are NULL, only counts the runs. */
static void add_page(const struct page *page, bool minimal, struct case_file *c,
		     struct case_range *ranges, struct case_fault *faults)
{
	for (u32 off = 0, end; off < PAGE_LEN; off = end) {
		u8 kind = kind_of(page->state[off], minimal);

		end = off + 1;
		while (end < PAGE_LEN && kind_of(page->state[end], minimal) == kind)
			end++;
		if (kind == BYTE_NONE)
			continue;
		if (kind == BYTE_FAULT) {
			if (faults)
				faults[c->n_faults] =
					(struct case_fault){ page->addr + off, end - off };
			c->n_faults++;
			continue;
		}
		if (ranges)
			ranges[c->n_ranges] = (struct case_range){ .addr = page->addr + off,
								   .len = end - off,
								   .bytes = page->bytes + off,
								   .origin = origin_of(page, off),
								   .holds = holds_of(page, off),
								   .prot = page->prot };
		c->n_ranges++;
	}
}

static void add_all(const struct pages *p, bool minimal, struct case_file *c,
		    struct case_range *ranges, struct case_fault *faults)
{
	c->n_ranges = c->n_faults = 0;
	for (u32 i = 0; i < p->n; i++)
		add_page(p->v[i], minimal, c, ranges, faults);
}

int pages_ranges(const struct pages *p, bool minimal, struct case_file *c)
{
	struct case_range *ranges;
	struct case_fault *faults;

	add_all(p, minimal, c, NULL, NULL);
	ranges = calloc(c->n_ranges + 1, sizeof(*ranges));
	faults = calloc(c->n_faults + 1, sizeof(*faults));
	if (!ranges || !faults) {
		free(ranges);
		free(faults);
		return -ENOMEM;
	}
	add_all(p, minimal, c, ranges, faults);
	c->ranges = ranges;
	c->faults = faults;
	return 0;
}

void pages_free_ranges(struct case_file *c)
{
	free((void *)c->ranges);
	free((void *)c->faults);
	c->ranges = NULL;
	c->faults = NULL;
}
