/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Says what is wrong with a jitdump, what that does to those who read it, and how to
 * mend it. What perf does was measured with perf 6.1 (tests/jitdump).
 */

#include "jd_file.h"

enum jd_severity {
	JD_NOTE, /* a peculiarity of the writer that costs nothing here */
	JD_WARNING, /* something is lost, or some reader errs */
	JD_ERROR, /* names or whole files are lost, or come out wrong */
};

/* X(rule, severity, spelled, what to do) */
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
	X(FILE_NAME, ERROR, "file-name", "call it jit-PID.dump")                                   \
	X(PID_NAME, ERROR, "pid-name", "the number in the name is the pid of the header")          \
	X(MARKER, WARNING, "marker",                                                               \
	  "map a page of it PROT_READ|PROT_EXEC: by that perf learns of it")                       \
	X(PID, WARNING, "pid", "one process a file; repair gives all the header's")                \
	X(CORRUPT, ERROR, "corrupt", "repair --resync looks for records after it")                 \
	X(PARTIAL_TAIL, WARNING, "partial-tail", "repair drops it")                                \
	X(ZERO_TAIL, WARNING, "zero-tail", "repair drops it")                                      \
	X(SIZE_16, ERROR, "size-16", "perf stops at a record of 16 bytes; repair drops it")        \
	X(UNKNOWN_ID, WARNING, "unknown-id", "readers skip it; repair drops it")                   \
	X(CLOSE_EARLY, ERROR, "close-early", "perf ignores all after it; repair drops it")         \
	X(TIME_BACKWARD, WARNING, "time-backward",                                                 \
	  "take the time under the lock of the write; repair orders the groups")                   \
	X(TIME_WALL, ERROR, "time-wall", "use CLOCK_MONOTONIC; the offset can't be known")         \
	X(TIME_FUTURE, ERROR, "time-future", "use CLOCK_MONOTONIC")                                \
	X(RECORD_SHORT, ERROR, "record-short", "repair drops it")                                  \
	X(LOAD_NAME, ERROR, "load-name", "end the name with a NUL; repair drops the record")       \
	X(LOAD_NO_CODE, ERROR, "load-no-code",                                                     \
	  "perf takes other bytes for its code; repair drops it, to-perfmap keeps its name")       \
	X(LOAD_SLACK, ERROR, "load-slack",                                                         \
	  "put the code directly behind the name and let it be last; repair does when it can")     \
	X(LOAD_VMA, NOTE, "load-vma", "write the code's address in both fields")                   \
	X(LOAD_ADDR, ERROR, "load-addr", "the code leaves the address space; repair drops it")     \
	X(LOAD_INDEX, ERROR, "load-index",                                                         \
	  "perf overwrites the earlier image; one counter a process; repair numbers anew")         \
	X(LOAD_OVERLAP, NOTE, "load-overlap", "it covers a part of older code, which ends there")  \
	X(DEBUG_ORPHAN, ERROR, "debug-orphan",                                                     \
	  "perf gives its lines to the next LOAD; put it before its own; repair does")             \
	X(DEBUG_REPLACED, ERROR, "debug-replaced",                                                 \
	  "perf keeps the last DEBUG_INFO before a LOAD; repair pairs them by address")            \
	X(DEBUG_EMPTY, WARNING, "debug-empty", "leave it out; repair does")                        \
	X(DEBUG_OVERRUN, ERROR, "debug-overrun", "entries leave the record; repair drops it")      \
	X(DEBUG_GARBAGE, ERROR, "debug-garbage",                                                   \
	  "entries can't be told apart, as with freed memory for a name; repair drops it")         \
	X(DEBUG_BACKWARD, ERROR, "debug-backward", "sort the entries by address; repair drops it") \
	X(DEBUG_OUTSIDE, ERROR, "debug-outside", "an entry is not in its code; repair drops it")   \
	X(DEBUG_SHIFT, NOTE, "debug-shift", "V8 adds 0x40 to addresses; repair takes it off")      \
	X(DEBUG_CLOSING, WARNING, "debug-closing",                                                 \
	  "the last line covers nothing in perf; end with one more entry at the code's end; "      \
	  "repair does")                                                                           \
	X(DEBUG_LINE_0, WARNING, "debug-line-0", "lines begin at 1; repair drops the entry")       \
	X(DEBUG_REPEAT, WARNING, "debug-repeat",                                                   \
	  "perf before 6.12 takes \\xff for a file's name; repair writes it out")                  \
	X(UNWIND_LEN, ERROR, "unwind-len", "perf reads past the record; repair drops it")          \
	X(UNWIND_ORDER, ERROR, "unwind-order",                                                     \
	  "perf wants .eh_frame before .eh_frame_hdr; repair turns them round")                    \
	X(UNWIND_STICKY, ERROR, "unwind-sticky",                                                   \
	  "without .eh_frame_hdr perf uses it for all LOADs after it; repair drops it")            \
	X(UNWIND_REPLACED, WARNING, "unwind-replaced", "one UNWINDING_INFO before a LOAD")         \
	X(UNWIND_ORPHAN, WARNING, "unwind-orphan", "no LOAD follows; repair drops it")             \
	X(UNWIND_MAPPED, ERROR, "unwind-mapped",                                                   \
	  "perf's image runs into the next code; leave mapped_size unused bytes; repair writes 0") \
	X(MOVE_UNKNOWN, ERROR, "move-unknown", "no live code begins there; repair drops it")

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
	u64 off; /* in the file */
	enum jd_rule rule;
	char text[200]; /* what was found there; names in it are hostile */
};

struct jd_check {
	const char *file_name; /* without folders; NULL: names nothing */
	bool is_unmapped; /* its process has it open, but not mapped executable */
	u64 now; /* CLOCK_MONOTONIC, 0: the file is of another boot or machine */
	void (*found)(void *data, const struct jd_finding *f);
	void *data;
};

/**
 * jd_time_is_clock() - are times CLOCK_MONOTONIC although the flag says ticks?
 * @first:	the time of the first record
 * @now:	CLOCK_MONOTONIC, 0: unknown
 */
bool jd_time_is_clock(const struct jdr_header *h, u64 first, u64 now);

/**
 * jd_check_file() - look at everything
 *
 * Findings come in the order of the file; those that need all of it, such as an index
 * that was used before, at the record that repeats.
 *
 * Return: how many records were walked, or -ENOMEM.
 */
s64 jd_check_file(const struct jd_file *f, const struct jd_check *c);
