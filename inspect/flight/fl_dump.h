/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump: rings, names and the meaning of the numbers in the rings, in one file.
 *
 *	header | section table | section | section ...   all little-endian
 *
 *	TABLES   JSON, struct fl_tables
 *	CONTROL  struct flight_control
 *	RING     of one CPU: struct flight_ring and its slots, as in memory
 *	NAMES    struct fl_names and its words
 *	CASE     of a walk that froze its ring: a complete file that unspool-sim replays
 *	NO_CASE  the reason why such a walk has no case: a u32, enum fl_no_case
 *
 * Readers skip unknown sections. A truncated file is read up to its end: missing slots of a
 * ring count as lost.
 */

#include <stdio.h>

#include "fl_names.h"
#include "fl_ring.h"
#include "fl_tables.h"

/* "UNSPOOLF" in the file. */
#define FL_DUMP_MAGIC 0x464c4f4f50534e55ull
#define FL_DUMP_VERSION 1
#define FL_MAX_SECTIONS 8300 /* enough for rings of 8192 CPUs, Linux's maximum, and the rest */
#define FL_MAX_DUMP (1ull << 30)

enum fl_section_kind { FL_TABLES = 1, FL_CONTROL, FL_RING, FL_NAMES, FL_CASE, FL_NO_CASE };

struct fl_header {
	u64 magic;
	u32 version;
	u32 n_sections;
	u64 monotonic_ns; /* the times of both clocks, read together */
	u64 realtime_ns;
};
_Static_assert(sizeof(struct fl_header) == 32, "wire");

struct fl_section {
	u32 kind; /* enum fl_section_kind */
	u32 id; /* the CPU of a RING; fl_case_id() of a CASE or NO_CASE */
	u64 off; /* offset from the start of the file; a multiple of 64 */
	u64 len;
};
_Static_assert(sizeof(struct fl_section) == 24, "wire");

struct fl_dump_ring {
	u32 cpu;
	struct fl_ring ring;
};

#define FL_MAX_CASES 16
#define FL_MAX_CASE_LEN (16u << 20)

enum fl_no_case {
	FL_CASE_CHANGED = 1, /* the process changed its mappings or memory that the walk read */
	FL_CASE_GONE, /* the process had ended */
	FL_CASE_FAILED, /* out of memory, or larger than FL_MAX_CASE_LEN */
	FL_CASE_LOST, /* no sample of a known process arrived, so pid is 0 */
};

/* The case of a walk that froze its ring, or the reason why there is no case. */
struct fl_case {
	u32 pid; /* 0: unknown */
	u32 status; /* enum uw_status */
	const u8 *bytes; /* contents of a NAME.core; NULL: none */
	u64 len;
	u32 why_not; /* enum fl_no_case, or a value of a later version; 0: there is a case */
};

/* Identifies the walk: pid and status. Linux has at most 2^22 pids, so a pid fits into 24 bits. */
static inline u32 fl_case_id(const struct fl_case *c)
{
	return c->pid | c->status << 24;
}

struct fl_dump {
	struct fl_tables tables;
	struct flight_control control;
	u64 monotonic_ns, realtime_ns;
	struct fl_dump_ring *rings;
	u32 n_rings;
	const struct fl_names *names; /* NULL: none */
	u64 n_name_words;
	struct fl_case cases[FL_MAX_CASES];
	u32 n_cases;
	bool is_cut; /* the file is truncated */
	void *owned; /* memory allocated by fl_dump_parse() */
};

/* The reason in words, such as "the process had ended". */
const char *fl_no_case_words(u32 why_not);

/**
 * fl_dump_write() - write a dump
 * @d:		its rings may be live: the walker may still write to them
 * @out:	positioned at the start of the file
 *
 * Return: 0, -ENOMEM, or the errno of writing.
 */
int fl_dump_write(const struct fl_dump *d, FILE *out);

/**
 * fl_dump_parse() - parse the bytes of a file, which may be hostile
 * @out:	owns copies of all that it points to; free with fl_dump_deinit()
 *
 * Return: 0, -EBADMSG if the file is no dump, -EPROTO for another byte order or a later version,
 * -E2BIG or -ENOMEM.
 */
int fl_dump_parse(const void *bytes, size_t len, struct fl_dump *out);
void fl_dump_deinit(struct fl_dump *d);
