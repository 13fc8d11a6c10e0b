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
	X(HEADER_VERSION, ERROR, "header-version", "the version must be 1; 'repair' sets it")      \
	X(HEADER_SIZE, ERROR, "header-size", "the header's size must be 40; 'repair' sets it")     \
	X(HEADER_FLAGS, ERROR, "header-flags", "the flags must be 0; 'repair' sets them")          \
	X(ARCH_TIME, WARNING, "arch-time",                                                         \
	  "perf can't convert ticks without TSC conversion data; write CLOCK_MONOTONIC times and " \
	  "flags 0")                                                                               \
	X(ARCH_TIME_WRONG, ERROR, "arch-time-wrong", "the flags must be 0; 'repair' sets them")    \
	X(MACHINE_ZERO, WARNING, "machine-zero",                                                   \
	  "the header must contain the machine's EM_ number; 'repair --machine' sets it")          \
	X(HEADER_PAD, NOTE, "header-pad", "the padding must be 0")                                 \
	X(HEADER_TIME, NOTE, "header-time", "the time must be CLOCK_MONOTONIC in ns")              \
	X(FILE_NAME, ERROR, "file-name", "the file's name must be jit-PID.dump")                   \
	X(PID_NAME, ERROR, "pid-name", "the file name and the header must contain the same pid")   \
	X(MARKER, WARNING, "marker",                                                               \
	  "map a page of the file PROT_READ|PROT_EXEC, so that perf finds the file")               \
	X(PID, WARNING, "pid",                                                                     \
	  "a file must contain the records of only one process; 'repair' writes the header's pid " \
	  "to all records")                                                                        \
	X(CORRUPT, ERROR, "corrupt", "'repair --resync' searches for records after these bytes")   \
	X(PARTIAL_TAIL, WARNING, "partial-tail", "'repair' drops the incomplete record")           \
	X(ZERO_TAIL, WARNING, "zero-tail", "'repair' drops these bytes")                           \
	X(SIZE_16, ERROR, "size-16",                                                               \
	  "a record must have more than 16 bytes, because perf stops reading at a record of 16 "   \
	  "bytes; 'repair' drops the record")                                                      \
	X(UNKNOWN_ID, WARNING, "unknown-id", "readers skip the record; 'repair' drops it")         \
	X(CLOSE_EARLY, ERROR, "close-early",                                                       \
	  "CLOSE must be the last record, because perf ignores all records after it; 'repair' "    \
	  "drops CLOSE")                                                                           \
	X(TIME_BACKWARD, WARNING, "time-backward",                                                 \
	  "records must be sorted by time, so read the clock while holding the lock for writes; "  \
	  "'repair' sorts the records")                                                            \
	X(TIME_WALL, ERROR, "time-wall",                                                           \
	  "times must be CLOCK_MONOTONIC; 'repair' cannot convert wall-clock times")               \
	X(TIME_FUTURE, ERROR, "time-future", "use CLOCK_MONOTONIC")                                \
	X(RECORD_SHORT, ERROR, "record-short", "'repair' drops the record")                        \
	X(LOAD_NAME, ERROR, "load-name",                                                           \
	  "the name must end with a NUL; 'repair' drops the record")                               \
	X(LOAD_NO_CODE, ERROR, "load-no-code",                                                     \
	  "the LOAD must contain all of its code, because perf would read other bytes as code; "   \
	  "'repair' drops the LOAD, 'to-perfmap' keeps its name")                                  \
	X(LOAD_SLACK, ERROR, "load-slack",                                                         \
	  "the code must start right after the name and end at the record's end; 'repair' "        \
	  "removes extra bytes")                                                                   \
	X(LOAD_VMA, NOTE, "load-vma", "vma and code_addr must both be the code's address")         \
	X(LOAD_ADDR, ERROR, "load-addr",                                                           \
	  "the code must end below 2^64; 'repair' drops the record")                               \
	X(LOAD_INDEX, ERROR, "load-index",                                                         \
	  "each LOAD of a process must have its own code_index, because perf overwrites an image " \
	  "with the same index; 'repair' renumbers the LOADs")                                     \
	X(LOAD_OVERLAP, NOTE, "load-overlap",                                                      \
	  "from then on all of the older code is dead, not only the overlapped part")              \
	X(DEBUG_ORPHAN, ERROR, "debug-orphan",                                                     \
	  "a DEBUG_INFO must precede the LOAD of its code, because perf assigns its lines to the " \
	  "next LOAD; 'repair' moves it")                                                          \
	X(DEBUG_REPLACED, ERROR, "debug-replaced",                                                 \
	  "a LOAD must have only one DEBUG_INFO before it, because perf uses only the last; "      \
	  "'repair' puts each DEBUG_INFO before the LOAD of its code")                             \
	X(DEBUG_EMPTY, WARNING, "debug-empty",                                                     \
	  "a DEBUG_INFO must have entries; 'repair' omits one without entries")                    \
	X(DEBUG_OVERRUN, ERROR, "debug-overrun",                                                   \
	  "the entries must end within the record; 'repair' drops the lines")                      \
	X(DEBUG_GARBAGE, ERROR, "debug-garbage",                                                   \
	  "the entries cannot be parsed, for example because a file name is freed memory; "        \
	  "'repair' drops the lines")                                                              \
	X(DEBUG_BACKWARD, ERROR, "debug-backward",                                                 \
	  "the entries must be sorted by address; 'repair' drops the lines")                       \
	X(DEBUG_OUTSIDE, ERROR, "debug-outside",                                                   \
	  "the address of each entry must be in the code; 'repair' drops the lines")               \
	X(DEBUG_SHIFT, NOTE, "debug-shift",                                                        \
	  "V8 adds 0x40 to the address of each line entry; 'repair' subtracts it")                 \
	X(DEBUG_CLOSING, WARNING, "debug-closing",                                                 \
	  "perf assigns no line to code after the last entry, so an entry must be at the code's "  \
	  "end; 'repair' adds it")                                                                 \
	X(DEBUG_LINE_0, WARNING, "debug-line-0",                                                   \
	  "line numbers start at 1; 'repair' drops an entry with line 0")                          \
	X(DEBUG_REPEAT, WARNING, "debug-repeat",                                                   \
	  "each entry must have the full file name, because perf before 6.12 reads \\xff as a "    \
	  "name; 'repair' writes the full name")                                                   \
	X(UNWIND_LEN, ERROR, "unwind-len",                                                         \
	  "the sizes must fit into the record, because perf would read past the record's end; "    \
	  "'repair' drops the record")                                                             \
	X(UNWIND_ORDER, ERROR, "unwind-order",                                                     \
	  ".eh_frame must precede .eh_frame_hdr; 'repair' swaps them")                             \
	X(UNWIND_STICKY, ERROR, "unwind-sticky",                                                   \
	  "unwind data must have an .eh_frame_hdr, because perf would apply the data to all "      \
	  "later LOADs; 'repair' drops the data")                                                  \
	X(UNWIND_REPLACED, WARNING, "unwind-replaced",                                             \
	  "a LOAD must have at most one UNWINDING_INFO before it")                                 \
	X(UNWIND_ORPHAN, WARNING, "unwind-orphan", "'repair' drops the unwind data")               \
	X(UNWIND_MAPPED, ERROR, "unwind-mapped",                                                   \
	  "mapped_size bytes after the code must be unused, because the image that perf makes "    \
	  "covers them; 'repair' sets mapped_size to 0")                                           \
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
