/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The history of code ranges. A jitdump has no record for freed code; code ends when other
 * code is loaded over it. The first overwritten byte ends all of the older function,
 * because the rest of it cannot run.
 */

#include "jdr.h"

struct jd_code {
	u64 addr, len;
	u64 from, until; /* times; until is ~0 while the code lives */
	u64 index; /* code index of the LOAD */
	u64 off; /* file offset, for use by the caller */
	const char *name; /* a copy */
};

struct jd_index {
	void *live; /* search.h's tree; its ranges never overlap */
	struct jd_code **all; /* all code, in order of arrival */
	size_t n, room;
	struct jd_code **closed; /* ended code, in the order of end times */
	size_t n_closed, closed_room;
	size_t n_bytes; /* approximate size in memory */
};

void jd_index_deinit(struct jd_index *x);

/**
 * jd_index_add() - add code that starts to live
 * @c:		copied with its name; until is set here. Times must not decrease from
 *		one addition to the next
 *
 * Code of zero length is never live; it is only listed in @x->all.
 *
 * Return: 0 or -ENOMEM.
 */
int jd_index_add(struct jd_index *x, const struct jd_code *c);

/* Moves the live code that starts at @addr. Return: 0, -ENOENT or -ENOMEM. */
int jd_index_move(struct jd_index *x, u64 addr, u64 to_addr, u64 time);

/* Ends the live code in the range. Return: 0, or -ENOMEM if some code is still live. */
int jd_index_end(struct jd_index *x, u64 addr, u64 len, u64 time);

/* Any live code in the range; NULL: none. */
const struct jd_code *jd_index_live(const struct jd_index *x, u64 addr, u64 len);

/* The code at @addr at @time; NULL: none is known. */
const struct jd_code *jd_index_find(const struct jd_index *x, u64 addr, u64 time);

/* Frees code that ended before @time; invalidates pointers to it. For long-running callers. */
void jd_index_drop(struct jd_index *x, u64 time);
