/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The memory of a captured case, page by page, with the origin of each byte:
 *
 *	read      read by the walk; never replaced
 *	fault     the walk tried to read it, which failed
 *	named     read for a name, a moment later
 *	text      the text of a name, read with it
 *	copied    copied because a byte above is in the same or a neighbouring page
 *
 * If a byte is entered twice, the first entry stays, so bytes of the walk are entered first, then
 * names, then copies.
 */

#include "case.h"

#define PAGE_LEN 4096
#define PAGES_MAX 16384 /* 64 MiB */

enum byte_state { BYTE_NONE, BYTE_READ, BYTE_FAULT, BYTE_NAMED, BYTE_TEXT, BYTE_COPIED };

struct page {
	u64 addr;
	u8 holds; /* enum case_holds of all bytes except text */
	u8 prot; /* PF_R, PF_W, PF_X */
	u8 bytes[PAGE_LEN];
	u8 state[PAGE_LEN]; /* enum byte_state */
};

struct pages {
	struct page **v; /* sorted by address */
	u32 n, room;
};

void pages_deinit(struct pages *p);

/* The page at @addr, NULL: none. */
struct page *pages_find(const struct pages *p, u64 addr);

/**
 * pages_put() - enter bytes into the pages
 * @state:	new state of bytes that have no state yet; other bytes do not change
 *
 * Return: 0, -E2BIG, -ENOMEM, or -ESTALE if @state is BYTE_READ and an earlier read of the walk
 * found other bytes or a fault there, because the target changed them in between.
 */
int pages_put(struct pages *p, u64 addr, const void *bytes, u64 len, enum byte_state state);

/*
 * Records a failed read of the walk. Bytes in the range that another read returned do not become
 * faults. Return: as pages_put().
 */
int pages_put_fault(struct pages *p, u64 addr, u64 len);

/**
 * pages_ranges() - turn the pages into ranges and faults of a case
 * @minimal:	omit bytes that were only copied
 * @c:		receives ranges and faults, which point into @p; free with pages_free_ranges()
 *
 * Return: 0 or -ENOMEM.
 */
int pages_ranges(const struct pages *p, bool minimal, struct case_file *c);
void pages_free_ranges(struct case_file *c);
