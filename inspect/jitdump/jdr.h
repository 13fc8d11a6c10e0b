/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Parses a jitdump, with pure functions over hostile bytes. The stated size of a record gives the
 * start of the next record; the contents of a record are checked against its size. A record with
 * invalid contents is returned with a fault, so that the caller can report it and continue.
 */

#include <stddef.h>

#include "jitdump_format.h"

struct jdr_header {
	bool is_swapped; /* the byte order is not this machine's */
	u32 version, size, mach, pad, pid;
	u64 time, flags;
};

enum jdr_status {
	JDR_RECORD,
	JDR_NEED_MORE, /* the record is incomplete, because it is still being written or was
			* truncated */
	JDR_END_FOR_NOW, /* the prefix is all zeros: the writer may fill it later */
	JDR_CORRUPT, /* the size is less than that of the prefix, so the next record cannot be
		      * found */
};

/* Faults inside a record. */
enum jdr_fault {
	JDR_SOUND,
	JDR_SHORT, /* the record is shorter than the fields of its kind */
	JDR_NO_NUL, /* a LOAD's name has no NUL */
	JDR_NO_CODE, /* a LOAD has fewer bytes of code than stated: .NET 10 does so on purpose */
	JDR_ADDR, /* the range of code exceeds the address space */
	JDR_UNWIND_LEN, /* inconsistent sizes of unwind data */
	JDR_N_FAULTS,
};

struct jdr_load {
	u32 pid, tid;
	u64 vma, addr, code_len, index;
	const char *name; /* NUL-terminated; the NUL is inside the record */
	size_t name_len;
	const u8 *code; /* the code, found as perf finds it, from the record's end; NULL with
			 * JDR_NO_CODE */
	u64 slack; /* bytes between name and code; if not 0, readers other than perf take these
		    * bytes for code */
};

struct jdr_move {
	u32 pid, tid;
	u64 vma, old_addr, new_addr, code_len, index;
};

struct jdr_debug {
	u64 addr, n;
	const u8 *entries;
	size_t entries_len; /* length of the rest of the record, with padding */
};

struct jdr_unwind {
	const u8 *eh_frame, *hdr;
	u64 eh_frame_len, hdr_len, mapped;
	bool hdr_is_first; /* .eh_frame_hdr is first, as the specification requires; perf
			    * requires the opposite */
};

struct jdr_record {
	const u8 *bytes;
	u32 size;
	u32 id; /* enum jd_id or unknown */
	u64 time;
	enum jdr_fault fault; /* unless JDR_SOUND, the union is valid only in part */
	union {
		struct jdr_load load;
		struct jdr_move move;
		struct jdr_debug debug;
		struct jdr_unwind unwind;
	};
};

struct jdr_entry {
	u64 addr; /* without V8's shift */
	u32 line, column;
	const char *file; /* NUL-terminated; may point into an earlier entry */
	bool is_repeat;
};

/**
 * jdr_header() - parse the file's first 40 bytes
 * @h:		written on success
 *
 * Checks only the magic; the caller must check version, size and flags. Records start at @h->size.
 *
 * Return: 0, -ENODATA if there are fewer than 40 bytes, or -EBADMSG if the file is no jitdump.
 */
int jdr_header(const u8 *bytes, size_t len, struct jdr_header *h);

/**
 * jdr_next() - parse the first of the given bytes as a record
 * @bytes:	from the record's first byte to the end of the available bytes
 * @rec:	written if JDR_RECORD is returned; points into @bytes
 * @need:	set to the number of bytes needed if JDR_NEED_MORE is returned
 */
enum jdr_status jdr_next(const struct jdr_header *h, const u8 *bytes, size_t len,
			 struct jdr_record *rec, u64 *need);

/* The position in the debug entries of a record; zero it before the first call of jdr_entry(). */
struct jdr_cursor {
	size_t at;
	u64 i;
	const char *file;
};

/**
 * jdr_entry() - get the next entry of a DEBUG_INFO
 *
 * Return: 1, 0 after the last entry, or -EBADMSG if the entries exceed the record or the first
 * entry repeats the file of a previous one.
 */
int jdr_entry(const struct jdr_header *h, const struct jdr_record *rec, struct jdr_cursor *c,
	      struct jdr_entry *e);

enum jdr_lines {
	JDR_LINES_GOOD,
	JDR_LINES_NONE, /* no entries */
	JDR_LINES_OVERRUN, /* the entries exceed the record */
	JDR_LINES_REST, /* more bytes remain after the last entry than padding to 8 needs, so an
			 * entry was read wrongly */
	JDR_LINES_BACKWARD,
	JDR_LINES_OUTSIDE, /* an address outside the code */
	JDR_LINES_FILE, /* a name that is empty or not text */
	JDR_N_LINES,
};

/**
 * jdr_lines() - check the entries of a DEBUG_INFO
 * @addr:	address of the code that the entries describe
 * @code_len:	length of that code; an entry may be at its end
 *
 * V8 writes freed memory as file names of many scripts (seen in Node.js 20, 22 and 24); zeros in
 * that memory end a name early, so everything after the name is read wrongly. Callers then discard
 * the whole record, because no line is better than a wrong one.
 */
enum jdr_lines jdr_lines(const struct jdr_header *h, const struct jdr_record *rec, u64 addr,
			 u64 code_len);

/* Read numbers in the file's byte order. */
u32 jdr_u32(const struct jdr_header *h, const u8 *at);
u64 jdr_u64(const struct jdr_header *h, const u8 *at);

static inline bool jdr_is_v8(const struct jdr_header *h)
{
	return h->pad == JD_V8_PAD;
}
