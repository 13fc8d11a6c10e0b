/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Takes a jitdump apart: pure functions over bytes that somebody else wrote. Nothing in
 * it is believed: a record is walked by its stated size, and what its inside says is
 * checked against that. A record that is wrong inside is still given, with a fault, so
 * that the caller can say so and go on with the next.
 */

#include <stddef.h>

#include "jitdump_format.h"

struct jdr_header {
	bool is_swapped; /* the other byte order than this machine's */
	u32 version, size, mach, pad, pid;
	u64 time, flags;
};

enum jdr_status {
	JDR_RECORD,
	JDR_NEED_MORE, /* the bytes end inside: the file is being written, or was cut */
	JDR_END_FOR_NOW, /* a prefix of zeros: room that was made and not yet filled */
	JDR_CORRUPT, /* a size below the prefix's: there is no way on from here */
};

/* What is wrong inside of a record. */
enum jdr_fault {
	JDR_SOUND,
	JDR_SHORT, /* than the fields of its kind */
	JDR_NO_NUL, /* a LOAD's name goes to the end */
	JDR_NO_CODE, /* a LOAD has fewer bytes than it states: .NET 10 does so on purpose */
	JDR_ADDR, /* its range leaves the address space */
	JDR_UNWIND_LEN, /* sizes of unwind data that do not fit in each other */
	JDR_N_FAULTS,
};

struct jdr_load {
	u32 pid, tid;
	u64 vma, addr, code_len, index;
	const char *name; /* terminated inside of the record */
	size_t name_len;
	const u8 *code; /* as perf finds it; NULL with JDR_NO_CODE */
	u64 slack; /* bytes between the name and that code: other readers find other code */
};

struct jdr_move {
	u32 pid, tid;
	u64 vma, old_addr, new_addr, code_len, index;
};

struct jdr_debug {
	u64 addr, n;
	const u8 *entries;
	size_t entries_len; /* of the record's rest, padding included */
};

struct jdr_unwind {
	const u8 *eh_frame, *hdr;
	u64 eh_frame_len, hdr_len, mapped;
	bool hdr_is_first; /* as the specification has it, but not perf */
};

struct jdr_record {
	const u8 *bytes;
	u32 size;
	u32 id; /* enum jd_id or unknown */
	u64 time;
	enum jdr_fault fault; /* not JDR_SOUND: of the union only what the fault leaves whole */
	union {
		struct jdr_load load;
		struct jdr_move move;
		struct jdr_debug debug;
		struct jdr_unwind unwind;
	};
};

struct jdr_entry {
	u64 addr; /* V8's shift taken off */
	u32 line, column;
	const char *file; /* terminated; that of an earlier entry when it repeats */
	bool is_repeat;
};

/**
 * jdr_header() - the file's first 40 bytes
 * @h:		written on success
 *
 * Only the magic is checked; whether version, size and flags are what perf wants is for
 * the caller to say. Records begin at @h->size.
 *
 * Return: 0, -ENODATA when there are fewer than 40 bytes, -EBADMSG: no jitdump.
 */
int jdr_header(const u8 *bytes, size_t len, struct jdr_header *h);

/**
 * jdr_next() - the record at the front
 * @bytes:	from the record's first byte to the end of what is there
 * @rec:	written with JDR_RECORD; points into @bytes
 * @need:	written with JDR_NEED_MORE: how many bytes there must be
 */
enum jdr_status jdr_next(const struct jdr_header *h, const u8 *bytes, size_t len,
			 struct jdr_record *rec, u64 *need);

/* Walks debug entries: start with a zeroed cursor. */
struct jdr_cursor {
	size_t at;
	u64 i;
	const char *file;
};

/**
 * jdr_entry() - the next entry of a DEBUG_INFO
 *
 * Return: 1, 0 after the last, -EBADMSG when the entries leave the record or the first
 * file repeats another.
 */
int jdr_entry(const struct jdr_header *h, const struct jdr_record *rec, struct jdr_cursor *c,
	      struct jdr_entry *e);

enum jdr_lines {
	JDR_LINES_GOOD,
	JDR_LINES_NONE, /* not one entry */
	JDR_LINES_OVERRUN, /* the entries leave the record */
	JDR_LINES_REST, /* more is left over than padding to 8 explains: entries were misread */
	JDR_LINES_BACKWARD,
	JDR_LINES_OUTSIDE, /* an address outside of the code */
	JDR_LINES_FILE, /* a name that is empty or no text */
	JDR_N_LINES,
};

/**
 * jdr_lines() - can the entries be believed?
 * @addr:	of the code they are for
 * @code_len:	of it; an entry may stand at its end
 *
 * V8 writes freed memory as file names of many scripts (seen in Node.js 20, 22 and 24);
 * the zeros in it end a name early, and everything after is out of step. All of the
 * record is to be refused then: no line is better than a wrong one.
 */
enum jdr_lines jdr_lines(const struct jdr_header *h, const struct jdr_record *rec, u64 addr,
			 u64 code_len);

/* In the file's byte order. */
u32 jdr_u32(const struct jdr_header *h, const u8 *at);
u64 jdr_u64(const struct jdr_header *h, const u8 *at);

static inline bool jdr_is_v8(const struct jdr_header *h)
{
	return h->pad == JD_V8_PAD;
}
