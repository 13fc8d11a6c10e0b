/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The memory of a captured case, page by page, and of each byte where it comes from:
 *
 *	read      the walk read it, at its time; nothing may change it any more
 *	fault     the walk's read failed there
 *	named     read for a name, a moment later
 *	copied    page of the above, or neighbour of it
 *
 * What came first stays: the walk before names, names before copies.
 */

#include "case.h"

#define PAGE_LEN 4096
#define PAGES_MAX 16384 /* 64 MiB */

enum byte_state { BYTE_NONE, BYTE_READ, BYTE_FAULT, BYTE_NAMED, BYTE_TEXT, BYTE_COPIED };

struct page {
	u64 addr;
	u8 holds; /* enum case_holds, of all but text */
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
 * pages_put() - enter bytes
 * @state:	of those that have none yet; the others stay as they are
 *
 * Return: 0, -ESTALE when the walk read other bytes there before, or a fault (@state
 * is BYTE_READ: the target changed them meanwhile), -E2BIG, -ENOMEM.
 */
int pages_put(struct pages *p, u64 addr, const void *bytes, u64 len, enum byte_state state);

/* The walk's read of this failed. What is read within is no fault. As pages_put(). */
int pages_put_fault(struct pages *p, u64 addr, u64 len);

/**
 * pages_ranges() - the memory as ranges and faults of a case
 * @minimal:	leave out what was only copied
 * @c:		gets ranges and faults, which pages_free_ranges() frees; they point into the pages
 *
 * Return: 0 or -ENOMEM.
 */
int pages_ranges(const struct pages *p, bool minimal, struct case_file *c);
void pages_free_ranges(struct case_file *c);
