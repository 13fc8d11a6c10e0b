// SPDX-License-Identifier: BSD-2-Clause

/*
 * Positions count all rows ever written, so they only grow; row @pos is at index pos % n_rows. The
 * rows of a page are never split: if they do not fit before the end of the array, they are written
 * at its start, and the rest of the array stays unused.
 *
 *	released <= cleared <= head <= released + n_rows
 *
 * New walks find the pages whose rows are from cleared to head; walks that started earlier may
 * still read rows from released to cleared. If sixteen pages hash to the same slots, the entry of
 * one of them is evicted out of order. The line of that page stays in the queue, because rows are
 * only freed in order.
 */

#include "row_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/search.h"

#define MAX_PAGES (UW_MAX_ROW_PAGES / 4 * 3) /* with more pages, free slots are rare */
#define MASK (UW_MAX_ROW_PAGES - 1)

/*
 * A line of the queue of pages. The lines are in order of age; line @seq is at index seq %
 * UW_MAX_ROW_PAGES.
 */
struct line {
	u64 end_pos;
	u32 slot; /* slot of the page's entry; if stamps[slot] is of another line, the page has no
		   * entry any more */
};

struct row_pool {
	struct row_memory m;
	u64 head, cleared, released;
	u64 wanted; /* all rows up to this position must be freed, because a page is waiting for
		     * room */
	u32 newest, oldest; /* seq of the next line to write, and of the oldest line */
	u32 tick;
	u64 ticked_ns;
	struct row_pool_counts counts;
	/*
	 * For each entry: if it is in use, the seq of its line; if it is free, the tick in which it
	 * was cleared.
	 */
	u32 stamps[UW_MAX_ROW_PAGES];
	struct line lines[UW_MAX_ROW_PAGES];
};

int row_pool_new(struct row_pool **pool, const struct row_memory *memory)
{
	struct row_pool *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->m = *memory;
	p->tick = 1;
	*pool = p;
	return 0;
}

void row_pool_free(struct row_pool **p)
{
	free(*p);
	*p = NULL;
}

static struct uw_row_page *find(const struct row_pool *p, u32 module, u32 page)
{
	u32 hash = uw_row_page_hash(module, page);

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		struct uw_row_page *e = &p->m.pages[(hash + i) & MASK];

		if (e->module == module && e->page == page)
			return e;
	}
	return NULL;
}

bool row_pool_has(const struct row_pool *p, u32 module, u32 page)
{
	return find(p, module, page) != NULL;
}

const struct uw_rule *row_pool_rule(const struct row_pool *p, u32 module, u64 file_off)
{
	const struct uw_row_page *e = find(p, module, (u32)(file_off / UW_ROW_PAGE_LEN));
	const u32 *rows;
	size_t next;

	if (!e)
		return NULL;
	rows = p->m.rows + e->first;
	next = search_first(e->n, i, rows[i] >> UW_ROW_OFF_SHIFT <= file_off % UW_ROW_PAGE_LEN);
	return &p->m.rules[rows[next ? next - 1 : 0] & (UW_MAX_RULES - 1)];
}

static void clear_entry(struct row_pool *p, u32 slot)
{
	struct uw_row_page *e = &p->m.pages[slot];

	__atomic_store_n(&e->module, 0, __ATOMIC_SEQ_CST);
	p->counts.pages--;
	p->counts.rows -= e->n;
	p->counts.evicted++;
	p->stamps[slot] = p->tick;
}

static void forget_oldest(struct row_pool *p)
{
	const struct line *l = &p->lines[p->oldest & MASK];

	if (p->m.pages[l->slot].module && p->stamps[l->slot] == p->oldest)
		clear_entry(p, l->slot);
	p->cleared = l->end_pos;
	p->oldest++;
}

/* Finds a slot that no walk reads any more. Return: 0; -EAGAIN: try again in the next tick. */
static int find_place(struct row_pool *p, u32 module, u32 page, u32 *slot)
{
	u32 hash = uw_row_page_hash(module, page), oldest = hash & MASK;
	bool is_full = true;

	for (u32 i = 0; i < UW_ROW_PAGE_PROBES; i++) {
		u32 at = (hash + i) & MASK;

		if (p->m.pages[at].module) {
			if (p->newest - p->stamps[at] > p->newest - p->stamps[oldest])
				oldest = at;
			continue;
		}
		is_full = false;
		if (p->stamps[at] == p->tick)
			continue;
		*slot = at;
		return 0;
	}
	if (is_full)
		clear_entry(p, oldest);
	return -EAGAIN;
}

/* Finds a position for @n contiguous rows. Return: 0; -EAGAIN: try again in the next tick. */
static int find_room(struct row_pool *p, u32 n, u64 *pos)
{
	u32 at = (u32)(p->head % p->m.n_rows);
	u64 start = at + n > p->m.n_rows ? p->head + p->m.n_rows - at : p->head;

	if (start + n > p->released + p->m.n_rows) {
		p->wanted = start + n;
		return -EAGAIN;
	}
	*pos = start;
	return 0;
}

static bool is_page(const u32 *rows, u32 n)
{
	if (!n || n > UW_MAX_PAGE_ROWS || rows[0] >> UW_ROW_OFF_SHIFT)
		return false;
	for (u32 i = 0; i < n; i++) {
		if (i && rows[i] >> UW_ROW_OFF_SHIFT <= rows[i - 1] >> UW_ROW_OFF_SHIFT)
			return false;
		if ((rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)) >= UW_MAX_RULES)
			return false;
	}
	return true;
}

/* Stores the module id last, because it makes the entry valid. */
static void write_page(struct row_pool *p, u32 slot, const struct uw_row_page *new, const u32 *rows)
{
	struct uw_row_page *e = &p->m.pages[slot];

	memcpy(&p->m.rows[new->first], rows, new->n * sizeof(*rows));
	__atomic_store_n(&e->page, new->page, __ATOMIC_RELAXED);
	__atomic_store_n(&e->first, new->first, __ATOMIC_RELAXED);
	__atomic_store_n(&e->n, new->n, __ATOMIC_RELAXED);
	__atomic_store_n(&e->module, new->module, __ATOMIC_SEQ_CST);
}

int row_pool_add(struct row_pool *p, u32 module, u32 page, const u32 *rows, u32 n)
{
	u64 pos = 0;
	u32 slot = 0;
	int err;

	if (!module || !is_page(rows, n)) {
		p->counts.refused++;
		return -EINVAL;
	}
	if (n > p->m.n_rows / 4) {
		p->counts.refused++;
		return -EFBIG;
	}
	if (p->newest - p->oldest == UW_MAX_ROW_PAGES)
		return -EAGAIN;
	err = find_room(p, n, &pos);
	if (!err)
		err = find_place(p, module, page, &slot);
	if (err)
		return err;
	write_page(p, slot, &(struct uw_row_page){ module, page, (u32)(pos % p->m.n_rows), n },
		   rows);
	p->head = pos + n;
	p->lines[p->newest & MASK] = (struct line){ p->head, slot };
	p->stamps[slot] = p->newest++;
	p->counts.pages++;
	p->counts.rows += n;
	p->counts.added++;
	return 0;
}

/* Number of rows kept free, so that new pages need not wait for the next tick. */
static u32 reserve(const struct row_pool *p)
{
	u32 share = p->m.n_rows / 16;

	return share > UW_MAX_PAGE_ROWS ? share : p->m.n_rows / 4;
}

u32 row_pool_room(const struct row_pool *p)
{
	u64 used = p->head - p->released, limit = p->m.n_rows - reserve(p);

	return p->counts.pages >= MAX_PAGES || used >= limit ? 0 : (u32)(limit - used);
}

/* Whether there are too few free rows or free entries. */
static bool is_short(const struct row_pool *p)
{
	return p->head - p->cleared > p->m.n_rows - reserve(p) ||
	       p->cleared + p->m.n_rows < p->wanted || p->counts.pages > MAX_PAGES ||
	       p->newest - p->oldest > MASK / 16 * 15;
}

void row_pool_tick(struct row_pool *p, u64 now_ns)
{
	if (now_ns - p->ticked_ns < ROW_POOL_GRACE_NS)
		return;
	p->ticked_ns = now_ns;
	p->tick++;
	p->released = p->cleared;
	while (p->oldest != p->newest && is_short(p))
		forget_oldest(p);
}

struct row_pool_counts row_pool_counts(const struct row_pool *p)
{
	return p->counts;
}
