/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Names beside the rings. Entries hold idents; what an ident is called is written here
 * once, as text, by user space alone (a sample's interrupt writes no strings).
 *
 *	struct fl_names | words: a ring of records, each a multiple of 8 bytes
 *
 *	record   | offset + 1 | number | time | ident | len, tag, is_cut | text ... |
 *
 * Offsets count words since the start and are never brought back, so a record can lie
 * across the end like any other, and one that was overwritten can't be taken for new. The
 * writer moves `first` past what it will overwrite before it does, and `end` past a record
 * when it is whole: what a reader copied is good from the `first` that it sees afterwards.
 */

#include "../../core/types.h"

#define FL_NAME_MAX 4096
#define FL_NAME_HEAD 5
#define FL_NAMES_MIN 1024 /* words: room for the longest record */
#define FL_NAMES_MAX (1ull << 24)

struct fl_names {
	u64 first; /* offset of the oldest record that is whole */
	u64 end; /* offset behind the newest */
	u64 number; /* records that were ever written */
	u64 pad[5];
	u64 words[];
};
_Static_assert(sizeof(struct fl_names) == 64, "one cache line");

struct fl_name {
	u64 number; /* 0 for the first that was written */
	u64 time_ns; /* an ident may be used again: the newest name before an entry is its */
	u64 ident;
	u8 tag;
	bool is_cut; /* it was longer */
	u32 len;
	char text[FL_NAME_MAX + 1]; /* any bytes; a NUL behind them */
};

/**
 * fl_names_add() - write one
 * @n_words:	of the ring, a power of two from FL_NAMES_MIN to FL_NAMES_MAX
 * @tag:	what the ident is, for the caller
 * @text:	what is longer than FL_NAME_MAX is cut, and marked so
 *
 * One thread at a time.
 */
void fl_names_add(struct fl_names *n, u64 n_words, u8 tag, u64 ident, u64 time_ns, const char *text,
		  size_t len);

/**
 * fl_names_copy() - all of a live ring
 * @out:	of the same length
 */
void fl_names_copy(const struct fl_names *n, u64 n_words, struct fl_names *out);

struct fl_names_cursor {
	u64 at; /* offset */
	u64 number; /* of the next that is due */
	u64 lost; /* records that were overwritten before they were read */
};

/**
 * fl_names_next() - the next record of a copy
 * @c:		start with a zeroed one; good for later copies of the same ring too
 * @out:	written on 1
 *
 * Return: 1, 0 after the last, -EBADMSG when these are no such records.
 */
int fl_names_next(const struct fl_names *n, u64 n_words, struct fl_names_cursor *c,
		  struct fl_name *out);
