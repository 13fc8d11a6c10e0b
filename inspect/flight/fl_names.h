/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A ring of names. The entries of the other rings contain numbers (idents) instead of names,
 * because the interrupt that takes a sample writes no strings. User space writes the name of each
 * ident to this ring, once.
 *
 *	struct fl_names | words: a ring of records, each a multiple of 8 bytes
 *
 *	record   | offset + 1 | number | time | ident | len, tag, is_cut | text ... |
 *
 * Offsets count words since the start and never wrap, so a record may cross the end of the ring,
 * and an old record cannot be taken for the record that overwrote it. The writer moves `first` past
 * the words that it is going to overwrite, and moves `end` past a record once the record is
 * complete. A reader therefore reads `first` after copying the words: the valid part of the copy
 * starts there.
 */

#include "../../core/types.h"

#define FL_NAME_MAX 4096
#define FL_NAME_HEAD 5
#define FL_NAMES_MIN 1024 /* in words; enough for the longest record */
#define FL_NAMES_MAX (1ull << 24)

struct fl_names {
	u64 first; /* offset of the oldest complete record */
	u64 end; /* offset after the newest record */
	u64 number; /* number of records ever written */
	u64 pad[5];
	u64 words[];
};
_Static_assert(sizeof(struct fl_names) == 64, "one cache line");

struct fl_name {
	u64 number; /* number of the record, counted from 0 */
	u64 time_ns; /* idents are reused, so an entry has the newest name written before the
		      * entry */
	u64 ident;
	u8 tag;
	bool is_cut; /* the name is truncated */
	u32 len;
	char text[FL_NAME_MAX + 1]; /* any bytes; NUL-terminated */
};

/**
 * fl_names_add() - write a name
 * @n_words:	length of the ring, a power of two from FL_NAMES_MIN to FL_NAMES_MAX
 * @tag:	the kind of ident, defined by the caller
 * @text:	text of more than FL_NAME_MAX bytes is truncated and marked is_cut
 *
 * Only one thread at a time may call this.
 */
void fl_names_add(struct fl_names *n, u64 n_words, u8 tag, u64 ident, u64 time_ns, const char *text,
		  size_t len);

/**
 * fl_names_copy() - copy a live ring
 * @out:	receives the copy; has the same length
 */
void fl_names_copy(const struct fl_names *n, u64 n_words, struct fl_names *out);

struct fl_names_cursor {
	u64 at; /* offset of the next record */
	u64 number; /* number of the record expected next */
	u64 lost; /* records that were overwritten before they were read */
};

/**
 * fl_names_next() - get the next record of a copy
 * @c:		zero it before the first call; it is also valid for later copies of the same ring
 * @out:	written only if 1 is returned
 *
 * Return: 1, 0 after the last record, or -EBADMSG for invalid records.
 */
int fl_names_next(const struct fl_names *n, u64 n_words, struct fl_names_cursor *c,
		  struct fl_name *out);
