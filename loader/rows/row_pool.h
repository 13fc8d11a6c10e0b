/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Writes uw_row_pages and uw_rows. These contain, by page of a file, the rows that walks can find.
 * Updates are plain stores into memory that is shared with the BPF programs, as in
 * loader/sample/tables.h.
 *
 * The pool is a ring. New pages are written after the newest; the oldest pages are evicted to make
 * room, even if walks still need them, because the next miss loads a page again.
 *
 *	      oldest                      newest
 *	  free  |  pages that walks can find  |  free
 *   ^-- evicted before this tick, so that no walk reads them any more
 *
 * Evicting a page clears only its entry; its rows stay unchanged for at least ROW_POOL_GRACE_NS.
 * Therefore a walk that found the entry before it was cleared still reads the right rows, or it
 * detects the change, because it checks the entry again after reading.
 */

#include "../../core/types.h"

#include "../../bpf/tables.h"

#define ROW_POOL_GRACE_NS 10000000ull /* a walk takes at most a tenth of this time */

struct row_pool;

/* Shared with the walk, all zero; borrowed. */
struct row_memory {
	struct uw_row_page *pages; /* UW_MAX_ROW_PAGES */
	struct uw_rule *rules; /* UW_MAX_RULES; managed by row_rules.h, not by the pool */
	u32 *rows;
	u32 n_rows; /* 0: there is no room for rows, so every page is refused */
};

struct row_pool_counts {
	u64 pages, rows; /* pages and rows that walks can find */
	u64 added, evicted; /* number of pages added and evicted since the start */
	u64 refused; /* pages that could never be added */
};

int row_pool_new(struct row_pool **p, const struct row_memory *memory);
void row_pool_free(struct row_pool **p);

/* Return: whether walks can find the page. */
bool row_pool_has(const struct row_pool *p, u32 module, u32 page);

/**
 * row_pool_add() - add a page
 * @module:	not 0
 * @page:	offset in the file / UW_ROW_PAGE_LEN; not in the pool
 * @rows:	rows in the walk's format, with rule numbers
 * @n:		number of rows
 *
 * Return: 0; -EAGAIN (there will be room after row_pool_tick()); -EINVAL (invalid page: rows out of
 * order, too many rows, or the first row not at offset 0); -EFBIG (the page is larger than a
 * quarter of the pool).
 */
int row_pool_add(struct row_pool *p, u32 module, u32 page, const u32 *rows, u32 n);

/**
 * row_pool_rule() - get the rule that a walk would now find for code
 *
 * Return: a rule, valid until row_pool_add(); NULL if the page is not in the pool.
 */
const struct uw_rule *row_pool_rule(const struct row_pool *p, u32 module, u64 file_off);

/* Number of rows that can be added before pages must be evicted. */
u32 row_pool_room(const struct row_pool *p);

/**
 * row_pool_tick() - free pages evicted earlier, and evict the oldest pages if room is short
 * @now_ns:	CLOCK_MONOTONIC; does nothing within ROW_POOL_GRACE_NS of the last tick
 */
void row_pool_tick(struct row_pool *p, u64 now_ns);

struct row_pool_counts row_pool_counts(const struct row_pool *p);
