/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which code lay where, and when. A jitdump has no record for code that is freed: what
 * is loaded over it ends it. All of an older function ends with the first byte that is
 * written over, as what is left of it can't run.
 */

#include "jdr.h"

struct jd_code {
	u64 addr, len;
	u64 from, until; /* times; until is ~0 while it lives */
	u64 index; /* as the LOAD has it */
	u64 off; /* whatever the caller wants to find it by: an offset in the file */
	const char *name; /* a copy */
};

struct jd_index {
	void *live; /* search.h's tree; its ranges never overlap */
	struct jd_code **all; /* in the order in which they came */
	size_t n, room;
	struct jd_code **closed; /* in the order in which they ended */
	size_t n_closed, closed_room;
	size_t n_bytes; /* that all of it takes, about */
};

void jd_index_deinit(struct jd_index *x);

/**
 * jd_index_add() - code from now on
 * @c:		copied with its name; until is set here. Its time is not before that of
 *		any that was added earlier
 *
 * Code without a byte lives nowhere and is only remembered in @x->all.
 *
 * Return: 0 or -ENOMEM.
 */
int jd_index_add(struct jd_index *x, const struct jd_code *c);

/* What is live and begins at @addr goes elsewhere. 0, -ENOENT or -ENOMEM. */
int jd_index_move(struct jd_index *x, u64 addr, u64 to_addr, u64 time);

/* What is live in the range ends, without any other there. 0 or -ENOMEM: some still lives. */
int jd_index_end(struct jd_index *x, u64 addr, u64 len, u64 time);

/* Some live code in the range; NULL: none. */
const struct jd_code *jd_index_live(const struct jd_index *x, u64 addr, u64 len);

/* The code whose byte lay at @addr at @time; NULL: none that is known. */
const struct jd_code *jd_index_find(const struct jd_index *x, u64 addr, u64 time);

/* Frees what ended before @time; no pointer to such may be kept. For those who run for long. */
void jd_index_drop(struct jd_index *x, u64 time);
