/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The history of code ranges. A jitdump has no record for freed code; code is live until other code
 * is loaded over it. When the first byte of a function is overwritten, the whole function is dead,
 * because the rest of it cannot run.
 */

#include "jdr.h"

#define JD_ALIVE (~0ull)

struct jd_code {
	u64 addr, len;
	u64 from, until; /* times; until is JD_ALIVE while the code lives */
	u64 index; /* code_index of the LOAD */
	u64 off; /* file offset, for use by the caller */
	const char *name; /* a copy */
};

struct jd_index {
	void *live; /* search.h's tree; its ranges never overlap */
	struct jd_code **all; /* all code, in the order in which it was added */
	size_t n, room;
	struct jd_code **closed; /* dead code, sorted by until */
	size_t n_closed, closed_room;
	size_t n_bytes; /* approximate size in memory */
};

void jd_index_deinit(struct jd_index *x);

/**
 * jd_index_add() - add live code
 * @c:		copied, with its name; the function sets the copy's until. from must not decrease
 *		from one call to the next
 *
 * Code of zero length is never live; it is only listed in @x->all.
 *
 * Return: 0 or -ENOMEM.
 */
int jd_index_add(struct jd_index *x, const struct jd_code *c);

/* Moves the live code that starts at @addr. Return: 0, -ENOENT or -ENOMEM. */
int jd_index_move(struct jd_index *x, u64 addr, u64 to_addr, u64 time);

/* Marks the live code in the range as dead. Return: 0, or -ENOMEM if some code is still live. */
int jd_index_end(struct jd_index *x, u64 addr, u64 len, u64 time);

/* Finds any live code in the range. Returns NULL if there is none. */
const struct jd_code *jd_index_live(const struct jd_index *x, u64 addr, u64 len);

/* Finds the code that was at @addr at @time. Returns NULL if no such code is known. */
const struct jd_code *jd_index_find(const struct jd_index *x, u64 addr, u64 time);

/*
 * Frees code that was dead before @time; invalidates pointers to it. Callers that run for long need
 * this.
 */
void jd_index_drop(struct jd_index *x, u64 time);
