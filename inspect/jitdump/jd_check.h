/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reports the faults of a jitdump, their effect on readers, and how to fix them. The
 * behaviour of perf was measured with perf 6.1 (tests/jitdump).
 */

#include "jd_file.h"

enum jd_severity {
	JD_NOTE, /* a harmless peculiarity of the writer */
	JD_WARNING, /* something is lost, or some readers fail */
	JD_ERROR, /* names or whole files are lost or wrong */
};

/* X(rule, severity, spelled, how to fix it) */
#define JD_RULES(X)                                                                                \
	X(HEADER_VERSION, ERROR, "header-version", "write 1; repair does")                         \
	X(HEADER_SIZE, ERROR, "header-size", "write 40; repair does")                              \
	X(HEADER_FLAGS, ERROR, "header-flags", "write 0; repair does")                             \
	X(ARCH_TIME, WARNING, "arch-time",                                                         \
	  "perf needs a TSC conversion for it; write CLOCK_MONOTONIC and flags 0")                 \
	X(ARCH_TIME_WRONG, ERROR, "arch-time-wrong", "write flags 0; repair does")                 \
	X(MACHINE_ZERO, WARNING, "machine-zero",                                                   \
	  "write the machine's EM_ number; repair --machine")                                      \
	X(HEADER_PAD, NOTE, "header-pad", "write 0")                                               \
	X(HEADER_TIME, NOTE, "header-time", "write CLOCK_MONOTONIC in ns")                         \
	X(FILE_NAME, ERROR, "file-name", "name it jit-PID.dump")                                   \
	X(PID_NAME, ERROR, "pid-name", "the name and the header must have the same pid")           \
	X(MARKER, WARNING, "marker",                                                               \
	  "map a page of it PROT_READ|PROT_EXEC, so that perf finds it")                           \
	X(PID, WARNING, "pid", "write one file per process; repair sets the header's pid")         \
	X(CORRUPT, ERROR, "corrupt", "repair --resync searches for records after it")              \
	X(PARTIAL_TAIL, WARNING, "partial-tail", "repair drops it")                                \
	X(ZERO_TAIL, WARNING, "zero-tail", "repair drops it")                                      \
	X(SIZE_16, ERROR, "size-16", "perf stops at a record of 16 bytes; repair drops it")        \
	X(UNKNOWN_ID, WARNING, "unknown-id", "readers skip it; repair drops it")                   \
	X(CLOSE_EARLY, ERROR, "close-early", "perf ignores all records after it; repair drops it") \
	X(TIME_BACKWARD, WARNING, "time-backward",                                                 \
	  "read the clock under the lock of the write; repair sorts the records")                  \
	X(TIME_WALL, ERROR, "time-wall", "use CLOCK_MONOTONIC; repair cannot know the offset")     \
	X(TIME_FUTURE, ERROR, "time-future", "use CLOCK_MONOTONIC")                                \
	X(RECORD_SHORT, ERROR, "record-short", "repair drops it")                                  \
	X(LOAD_NAME, ERROR, "load-name", "end the name with a NUL; repair drops the record")       \
	X(LOAD_NO_CODE, ERROR, "load-no-code",                                                     \
	  "perf reads other bytes as its code; repair drops it, to-perfmap keeps its name")        \
	X(LOAD_SLACK, ERROR, "load-slack",                                                         \
	  "put the code directly after the name, and last; repair does if it can")                 \
	X(LOAD_VMA, NOTE, "load-vma", "write the code's address in both fields")                   \
	X(LOAD_ADDR, ERROR, "load-addr", "the code exceeds the address space; repair drops it")    \
	X(LOAD_INDEX, ERROR, "load-index",                                                         \
	  "perf overwrites the earlier image; use one counter per process; repair renumbers")      \
	X(LOAD_OVERLAP, NOTE, "load-overlap", "it overlaps older code, which ends with it")        \
	X(DEBUG_ORPHAN, ERROR, "debug-orphan",                                                     \
	  "perf assigns its lines to the next LOAD; put it before its own; repair does")           \
	X(DEBUG_REPLACED, ERROR, "debug-replaced",                                                 \
	  "perf uses only the last DEBUG_INFO before a LOAD; repair pairs them by address")        \
	X(DEBUG_EMPTY, WARNING, "debug-empty", "omit it; repair does")                             \
	X(DEBUG_OVERRUN, ERROR, "debug-overrun", "entries exceed the record; repair drops it")     \
	X(DEBUG_GARBAGE, ERROR, "debug-garbage",                                                   \
	  "entries are out of step, as with freed memory for a name; repair drops it")             \
	X(DEBUG_BACKWARD, ERROR, "debug-backward", "sort the entries by address; repair drops it") \
	X(DEBUG_OUTSIDE, ERROR, "debug-outside", "an entry is outside its code; repair drops it")  \
	X(DEBUG_SHIFT, NOTE, "debug-shift", "V8 adds 0x40 to addresses; repair subtracts it")      \
	X(DEBUG_CLOSING, WARNING, "debug-closing",                                                 \
	  "the last line covers nothing in perf; add an entry at the code's end; repair does")     \
	X(DEBUG_LINE_0, WARNING, "debug-line-0", "lines start at 1; repair drops the entry")       \
	X(DEBUG_REPEAT, WARNING, "debug-repeat",                                                   \
	  "perf before 6.12 reads \\xff as a file name; repair writes the name")                   \
	X(UNWIND_LEN, ERROR, "unwind-len", "perf reads past the record; repair drops it")          \
	X(UNWIND_ORDER, ERROR, "unwind-order",                                                     \
	  "perf expects .eh_frame before .eh_frame_hdr; repair swaps them")                        \
	X(UNWIND_STICKY, ERROR, "unwind-sticky",                                                   \
	  "without .eh_frame_hdr perf applies it to all later LOADs; repair drops it")             \
	X(UNWIND_REPLACED, WARNING, "unwind-replaced", "write one UNWINDING_INFO before a LOAD")   \
	X(UNWIND_ORPHAN, WARNING, "unwind-orphan", "no LOAD follows; repair drops it")             \
	X(UNWIND_MAPPED, ERROR, "unwind-mapped",                                                   \
	  "perf's image overlaps the next code; leave mapped_size bytes unused; repair writes 0")  \
	X(MOVE_UNKNOWN, ERROR, "move-unknown", "no live code starts there; repair drops it")

enum jd_rule {
#define X(rule, severity, spelled, cure) JD_R_##rule,
	JD_RULES(X)
#undef X
		JD_N_RULES,
};

struct jd_rule_text {
	enum jd_severity severity;
	const char *name, *cure;
};

extern const struct jd_rule_text jd_rules[JD_N_RULES];

struct jd_finding {
	u64 off; /* file offset of the finding */
	enum jd_rule rule;
	char text[200]; /* the finding; names in it are hostile */
};

struct jd_check {
	const char *file_name; /* without directories; NULL: none */
	bool is_unmapped; /* the process has the file open, but not mapped executable */
	u64 now; /* CLOCK_MONOTONIC; 0 for a file from another boot or machine */
	void (*found)(void *data, const struct jd_finding *f);
	void *data;
};

/**
 * jd_time_is_clock() - check whether times are CLOCK_MONOTONIC although the header's flag
 *	says ticks
 * @first:	the time of the first record
 * @now:	CLOCK_MONOTONIC, 0: unknown
 */
bool jd_time_is_clock(const struct jdr_header *h, u64 first, u64 now);

/**
 * jd_check_file() - check a whole file
 *
 * Findings are in the order of the file. A finding that needs the whole file, such as a repeated
 * index, is reported at the record that repeats.
 *
 * Return: the number of records read, or -ENOMEM.
 */
s64 jd_check_file(const struct jd_file *f, const struct jd_check *c);
