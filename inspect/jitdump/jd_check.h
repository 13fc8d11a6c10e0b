/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reports the faults of a jitdump, and for each fault its effect on readers and how to fix it. The
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
	X(HEADER_VERSION, ERROR, "header-version", "set the version to 1, as 'repair' does")       \
	X(HEADER_SIZE, ERROR, "header-size", "set the header's size to 40, as 'repair' does")      \
	X(HEADER_FLAGS, ERROR, "header-flags", "set the flags to 0, as 'repair' does")             \
	X(ARCH_TIME, WARNING, "arch-time",                                                         \
	  "perf needs a TSC conversion for ticks; write CLOCK_MONOTONIC times and flags 0")        \
	X(ARCH_TIME_WRONG, ERROR, "arch-time-wrong", "set the flags to 0, as 'repair' does")       \
	X(MACHINE_ZERO, WARNING, "machine-zero",                                                   \
	  "write the machine's EM_ number; 'repair --machine' sets it")                            \
	X(HEADER_PAD, NOTE, "header-pad", "write 0 as padding")                                    \
	X(HEADER_TIME, NOTE, "header-time", "write CLOCK_MONOTONIC in ns")                         \
	X(FILE_NAME, ERROR, "file-name", "name the file jit-PID.dump")                             \
	X(PID_NAME, ERROR, "pid-name", "use the same pid in the file name and the header")         \
	X(MARKER, WARNING, "marker",                                                               \
	  "map a page of the file PROT_READ|PROT_EXEC, so that perf finds the file")               \
	X(PID, WARNING, "pid",                                                                     \
	  "write one file per process; 'repair' writes the header's pid to all records")           \
	X(CORRUPT, ERROR, "corrupt", "'repair --resync' searches for records after these bytes")   \
	X(PARTIAL_TAIL, WARNING, "partial-tail", "'repair' drops the incomplete record")           \
	X(ZERO_TAIL, WARNING, "zero-tail", "'repair' drops these bytes")                           \
	X(SIZE_16, ERROR, "size-16",                                                               \
	  "perf stops reading at a record of 16 bytes; 'repair' drops the record")                 \
	X(UNKNOWN_ID, WARNING, "unknown-id", "readers skip the record; 'repair' drops it")         \
	X(CLOSE_EARLY, ERROR, "close-early",                                                       \
	  "perf ignores all records after CLOSE; 'repair' drops CLOSE")                            \
	X(TIME_BACKWARD, WARNING, "time-backward",                                                 \
	  "read the clock while holding the lock for writes; 'repair' sorts the records")          \
	X(TIME_WALL, ERROR, "time-wall",                                                           \
	  "use CLOCK_MONOTONIC; 'repair' cannot convert wall-clock times")                         \
	X(TIME_FUTURE, ERROR, "time-future", "use CLOCK_MONOTONIC")                                \
	X(RECORD_SHORT, ERROR, "record-short", "'repair' drops the record")                        \
	X(LOAD_NAME, ERROR, "load-name", "end the name with a NUL; 'repair' drops the record")     \
	X(LOAD_NO_CODE, ERROR, "load-no-code",                                                     \
	  "perf reads other bytes as code; 'repair' drops the LOAD, 'to-perfmap' keeps its name")  \
	X(LOAD_SLACK, ERROR, "load-slack",                                                         \
	  "put the code between the name and the record's end; 'repair' removes extra bytes")      \
	X(LOAD_VMA, NOTE, "load-vma", "write the code's address as both vma and code_addr")        \
	X(LOAD_ADDR, ERROR, "load-addr", "end the code below 2^64; 'repair' drops the record")     \
	X(LOAD_INDEX, ERROR, "load-index",                                                         \
	  "perf overwrites the earlier image; use one counter per process; 'repair' renumbers "    \
	  "the LOADs")                                                                             \
	X(LOAD_OVERLAP, NOTE, "load-overlap",                                                      \
	  "the new code replaces older code, all of which is dead from then on")                   \
	X(DEBUG_ORPHAN, ERROR, "debug-orphan",                                                     \
	  "perf assigns these lines to the next LOAD; write them before the LOAD of their code, "  \
	  "as 'repair' does")                                                                      \
	X(DEBUG_REPLACED, ERROR, "debug-replaced",                                                 \
	  "perf uses only the last DEBUG_INFO before a LOAD; 'repair' puts each DEBUG_INFO "       \
	  "before its LOAD")                                                                       \
	X(DEBUG_EMPTY, WARNING, "debug-empty",                                                     \
	  "omit a DEBUG_INFO without entries, as 'repair' does")                                   \
	X(DEBUG_OVERRUN, ERROR, "debug-overrun",                                                   \
	  "the entries exceed the record; 'repair' drops the lines")                               \
	X(DEBUG_GARBAGE, ERROR, "debug-garbage",                                                   \
	  "the entries cannot be parsed, for example because a file name is freed memory; "        \
	  "'repair' drops the lines")                                                              \
	X(DEBUG_BACKWARD, ERROR, "debug-backward",                                                 \
	  "sort the entries by address; 'repair' drops the lines")                                 \
	X(DEBUG_OUTSIDE, ERROR, "debug-outside",                                                   \
	  "an entry's address is outside the code; 'repair' drops the lines")                      \
	X(DEBUG_SHIFT, NOTE, "debug-shift", "V8 adds 0x40 to addresses; 'repair' subtracts it")    \
	X(DEBUG_CLOSING, WARNING, "debug-closing",                                                 \
	  "perf ends the lines at the last entry; add an entry at the code's end, as 'repair' "    \
	  "does")                                                                                  \
	X(DEBUG_LINE_0, WARNING, "debug-line-0", "lines start at 1; 'repair' drops the entry")     \
	X(DEBUG_REPEAT, WARNING, "debug-repeat",                                                   \
	  "perf before 6.12 reads \\xff as a file name; 'repair' writes the full name")            \
	X(UNWIND_LEN, ERROR, "unwind-len",                                                         \
	  "perf reads past the end of the record; 'repair' drops the record")                      \
	X(UNWIND_ORDER, ERROR, "unwind-order",                                                     \
	  "perf expects .eh_frame before .eh_frame_hdr; 'repair' swaps them")                      \
	X(UNWIND_STICKY, ERROR, "unwind-sticky",                                                   \
	  "perf applies unwind data without .eh_frame_hdr to all later LOADs; 'repair' drops "     \
	  "the data")                                                                              \
	X(UNWIND_REPLACED, WARNING, "unwind-replaced",                                             \
	  "write only one UNWINDING_INFO before each LOAD")                                        \
	X(UNWIND_ORPHAN, WARNING, "unwind-orphan", "'repair' drops the unwind data")               \
	X(UNWIND_MAPPED, ERROR, "unwind-mapped",                                                   \
	  "perf's image overlaps the next code; leave mapped_size bytes unused after the code; "   \
	  "'repair' sets mapped_size to 0")                                                        \
	X(MOVE_UNKNOWN, ERROR, "move-unknown", "'repair' drops the MOVE")

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
	char text[200]; /* the finding; may contain names with hostile bytes */
};

struct jd_check {
	const char *file_name; /* file name without directories; NULL: unknown */
	bool is_unmapped; /* the process has the file open, but not mapped executable */
	u64 now; /* the current CLOCK_MONOTONIC; 0 for a file from another boot or machine */
	void (*found)(void *data, const struct jd_finding *f);
	void *data;
};

/**
 * jd_time_is_clock() - check whether times are CLOCK_MONOTONIC although the header's flag
 *	says ticks
 * @first:	the time of the first record
 * @now:	the current CLOCK_MONOTONIC; 0: unknown
 */
bool jd_time_is_clock(const struct jdr_header *h, u64 first, u64 now);

/**
 * jd_check_file() - check a whole file
 *
 * Findings are in the order of the file. A finding that needs the whole file, such as a repeated
 * index, is reported at the later record.
 *
 * Return: the number of records read, or -ENOMEM.
 */
s64 jd_check_file(const struct jd_file *f, const struct jd_check *c);
