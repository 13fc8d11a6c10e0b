/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Memory layout of the flight recorder: one ring for each CPU. The newest entry overwrites the
 * oldest, and user space reads a ring while the kernel writes it. Wire format.
 *
 *	struct flight_ring | slot | slot | ... 2^n slots of one cache line each
 *
 * An entry is a head and as many continuations as the entry's words need, in consecutive slots (the
 * first slot follows the last):
 *
 *	         0     8        16       24 ...                     64
 *	head     | seq | what   | when   | word 0 .. word 4         |
 *	more     | seq | word 5 .. word 11                          |
 *
 *	seq	0 never used; ~0 being written; else (index + 1) << 1, bit 0 set in
 *		continuations. The index counts slots since the start and never wraps, so no
 *		value is used twice in a slot: a reader that finds the same seq before and
 *		after its copy has exactly one entry.
 *	what	event 0..7, phase 8..9, slots - 1 12..15, words 16..23, walk 32..63
 *	when	0..31 ns since the walk began, ~0: not measured; 32..63 detail
 *
 * The kernel writes only the rings, user space only the control page.
 */

#include "types.h"

#define FLIGHT_BUSY (~0ull)
#define FLIGHT_SLOT_WORDS 8
#define FLIGHT_HEAD_WORDS 5
#define FLIGHT_MORE_WORDS 7
#define FLIGHT_MAX_SLOTS 16 /* maximum number of slots of an entry */
#define FLIGHT_MAX_WORDS (FLIGHT_HEAD_WORDS + (FLIGHT_MAX_SLOTS - 1) * FLIGHT_MORE_WORDS)
#define FLIGHT_NO_TIME 0xffffffffu
#define FLIGHT_READ_BYTES 16 /* a read event holds only this many of the bytes read */

struct flight_slot {
	u64 word[FLIGHT_SLOT_WORDS];
};
_Static_assert(sizeof(struct flight_slot) == 64, "one cache line");

struct flight_ring {
	u64 next; /* index of the next slot, which is the number of slots ever reserved */
	u64 suppressed; /* number of walks not recorded because the ring was frozen */
	u64 dropped; /* number of entries dropped for lack of room, if keep_first is set */
	u64 frozen; /* value of @next when the ring was frozen */
	u64 frozen_epoch; /* 1 + the control page's epoch when the ring was frozen */
	u64 begin_ns; /* start time of the walk that is being recorded */
	u64 fence; /* operand of the atomic operation by which some architectures make a fence */
	u32 walk; /* number of the current walk */
	u32 recording; /* a walk is being recorded */
	struct flight_slot slots[];
};
_Static_assert(sizeof(struct flight_ring) == 64, "the slots must begin at a cache line");

struct flight_control {
	u64 mask; /* the events to record; bits are enum flight_event */
	u64 epoch; /* when this changes, frozen rings record again */
	u64 freeze_on; /* statuses (bits are enum uw_status) of walks that freeze their ring */
	u64 post; /* after a freeze, whole walks are recorded until this many slots are filled */
	u32 pid; /* record only walks of this process; 0: of all processes */
	u32 is_stopped; /* if set, no CPU records walks */
	u32 keep_first; /* if set, a full ring drops new entries */
	u32 format; /* version of the event numbers; the build that records sets it */
	u64 clear_ns; /* readers skip entries older than this time */
	u32 owner; /* pid of the recorder in its own namespace */
	u32 pad;
};
_Static_assert(sizeof(struct flight_control) == 64, "wire");

enum flight_phase { FLIGHT_START, FLIGHT_STOP, FLIGHT_ENTRY, FLIGHT_EXIT };

/*
 * X(name, class, word, words): @word is the event's name in output, and @words names the data
 * words. "time" is CLOCK_MONOTONIC in ns, "process" is process << 32 | thread, "ident" is the key
 * by which a dump stores a name.
 */
/* clang-format off */
#define FLIGHT_EVENT_LIST(X)                                                        \
	X(FLIGHT_BEGIN,    "walk",     "begin",    "time process pc sp fp")         \
	X(FLIGHT_END,      "walk",     "end",      "time status frames fault reads") \
	X(FLIGHT_STEP,     "step",     "step",     "pc sp fp last_id last_value")  \
	X(FLIGHT_DECISION, "decision", "decision", "note value pc sp fp")           \
	X(FLIGHT_FAULT,    "error",    "fault",    "addr len error")                \
	X(FLIGHT_MISS,     "error",    "miss",     "pc module value")                 \
	X(FLIGHT_REFUSED,  "error",    "refused",  "pc module value")               \
	X(FLIGHT_LIMIT,    "error",    "limit",    "status frames")                 \
	X(FLIGHT_TRIGGER,  "error",    "trigger",  "time status")                   \
	X(FLIGHT_READ,     "read",     "read",     "addr len error bytes more")     \
	X(FLIGHT_PROCESS,  "loader",   "process",  "time process ident")            \
	X(FLIGHT_RUNTIME,  "loader",   "runtime",  "time process ident")            \
	X(FLIGHT_TABLES,   "loader",   "tables",   "time process count")            \
	X(FLIGHT_CACHE,    "loader",   "cache",    "time process count")            \
	X(FLIGHT_MASK,     "loader",   "mask",     "time process mask")
/* clang-format on */

enum flight_event {
#define X(name, class, word, words) name,
	FLIGHT_EVENT_LIST(X)
#undef X
		FLIGHT_N_EVENTS
};
_Static_assert(FLIGHT_N_EVENTS <= 64, "each event needs a bit in the 64-bit mask");

/* X(name, word): the method by which the walk found a frame's caller. */
/* clang-format off */
#define FLIGHT_RULE_LIST(X)                                                         \
	X(FLIGHT_BY_NOTHING,  "")                                                   \
	X(FLIGHT_BY_ROW,      "row")      /* unwind row */                          \
	X(FLIGHT_BY_RECORD,   "fp")       /* frame record */                        \
	X(FLIGHT_BY_INSN,   "window")   /* frameless code: the interrupted instruction */ \
	X(FLIGHT_BY_SIGNAL,   "signal")   /* the registers in a signal frame */     \
	X(FLIGHT_BY_EPILOGUE, "epilogue") /* a decoded CoreCLR epilogue */                  \
	X(FLIGHT_BY_UNWIND,   "unwind")   /* CoreCLR's UNWIND_INFO */               \
	X(FLIGHT_BY_DEOPT,    "deopt")    /* V8's Deoptimizer object */
/* clang-format on */

enum flight_rule {
#define X(name, word) name,
	FLIGHT_RULE_LIST(X)
#undef X
		FLIGHT_N_RULES
};

/* The events recorded by default: all but steps, decisions and reads. */
#define FLIGHT_DEFAULT_MASK                                                                        \
	(~(1ull << FLIGHT_STEP | 1ull << FLIGHT_DECISION | 1ull << FLIGHT_READ) &                  \
	 ((1ull << FLIGHT_N_EVENTS) - 1))

/* Returns the seq of a head at this index. In a continuation's seq, bit 0 is also set. */
UW_INLINE u64 flight_seq(u64 index)
{
	return (index + 1) << 1;
}

UW_INLINE u32 flight_what_slots(u64 what)
{
	return (u32)(what >> 12 & 15) + 1;
}

/* Returns the number of slots that an entry of @n_words occupies. */
UW_INLINE u32 flight_n_slots(u32 n_words)
{
	return n_words <= FLIGHT_HEAD_WORDS ? 1
					    : 1 + (n_words - FLIGHT_HEAD_WORDS + FLIGHT_MORE_WORDS -
						   1) / FLIGHT_MORE_WORDS;
}
