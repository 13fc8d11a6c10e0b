/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The writing side of uw_row_pages and uw_rows: which pages of which files the walk
 * has rows of. Plain stores into memory shared with the programs, as in
 * loader/sample/tables.h.
 *
 * The pool is a ring. New pages are written behind the newest; the oldest are
 * forgotten to make room, whoever still uses them: they come back by a miss.
 *
 *	      oldest                      newest
 *	  free  |  pages that walks can find  |  free
 *	  ^-- forgotten before this tick, so that no walk reads them any more
 *
 * A page is forgotten by its entry alone; its rows stay as they are for at least
 * ROW_POOL_GRACE_NS. So a walk that found the entry reads the rows of that page, or finds
 * on its second look that the entry has changed.
 */

#include "../../core/types.h"

#include "../../bpf/tables.h"

#define ROW_POOL_GRACE_NS 10000000ull /* a walk takes a tenth of that at most */

struct row_pool;

/* Shared with the walk, all zero; borrowed. */
struct row_memory {
	struct uw_row_page *pages; /* UW_MAX_ROW_PAGES */
	struct uw_rule *rules; /* UW_MAX_RULES; not the pool's but row_rules.h's */
	u32 *rows;
	u32 n_rows; /* 0: there is no pool, every page is refused */
};

struct row_pool_counts {
	u64 pages, rows; /* that walks can find */
	u64 added, evicted; /* pages, since the start */
	u64 refused; /* pages that could not be taken, however long one waits */
};

int row_pool_new(struct row_pool **p, const struct row_memory *memory);
void row_pool_free(struct row_pool **p);

/* Can walks find the page? */
bool row_pool_has(const struct row_pool *p, u32 module, u32 page);

/**
 * row_pool_add() - enter a page
 * @module:	not 0
 * @page:	offset in the file / UW_ROW_PAGE_LEN; not there yet
 * @rows:	as on the wire, rules with numbers
 * @n:		of them
 *
 * Return: 0; -EAGAIN (there will be room after row_pool_tick()); -EINVAL (no such page can
 * be: rows out of order, too many, the first not at offset 0); -EFBIG (larger than a
 * quarter of the pool).
 */
int row_pool_add(struct row_pool *p, u32 module, u32 page, const u32 *rows, u32 n);

/**
 * row_pool_rule() - the rule for code, as a walk finds it now
 *
 * Return: valid until row_pool_add(), or NULL: the page is not there.
 */
const struct uw_rule *row_pool_rule(const struct row_pool *p, u32 module, u64 file_off);

/* How many rows can be added before anything has to be forgotten for them. */
u32 row_pool_room(const struct row_pool *p);

/**
 * row_pool_tick() - free what was forgotten before, and forget what is oldest if room is short
 * @now_ns:	CLOCK_MONOTONIC; does nothing within ROW_POOL_GRACE_NS of the last time
 */
void row_pool_tick(struct row_pool *p, u64 now_ns);

struct row_pool_counts row_pool_counts(const struct row_pool *p);
