/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One line of a profile as a struct with checked values. Missing keys are 0 or NULL; unknown
 * keys are skipped; a known key of the wrong type is an error.
 */

#include <jansson.h>

#include "kinds.h"

enum prof_record_type {
	PROF_REC_UNKNOWN, /* a line of a later version of the format; skip it */
	PROF_REC_HEADER,
	PROF_REC_PROCESS,
	PROF_REC_THREAD,
	PROF_REC_FRAME,
	PROF_REC_STACK,
	PROF_REC_SAMPLES,
	PROF_REC_SUMMARY,
};

#define PROF_MAX_REASONS 64

/* A map {reason: count} of the summary. */
struct prof_reasons {
	u32 n;
	struct prof_reason {
		const char *words;
		u64 count;
	} reasons[PROF_MAX_REASONS];
};

struct prof_summary {
	u64 samples, lost, lost_events, complete, guessed, unresolved;
	struct prof_reasons reasons[PROF_N_STATUSES]; /* only the elements PROF_TRUNCATED and
						       * PROF_FAILED are used */
	u64 by_activity[PROF_N_ACTIVITIES];
	u64 unwound_by[PROF_N_RUNTIMES];
	u64 cpu_ns, bpf_ns, duration_ns;
	struct prof_rows rows;
};

struct prof_record {
	enum prof_record_type type;
	const char *line; /* as read, without its newline; not NUL-terminated */
	size_t len;
	union {
		struct {
			u32 schema, hz;
			const char *unspool, *start, *arch, *kernel, *command;
		} header;
		struct prof_process process;
		struct {
			u32 pid, tid;
			const char *name;
		} thread;
		struct {
			u32 id;
			struct prof_frame frame; /* kind is PROF_N_KINDS if it is unknown */
		} frame;
		struct {
			u32 id, n_frames;
			const json_t *frames; /* checked JSON; use prof_record_frame() */
			enum prof_status status;
			const char *reason;
		} stack;
		struct {
			u32 pid, tid, stack;
			u64 count;
			u64 last_t_us; /* 0 without "t" */
			/*
			 * The times, checked, either as JSON or as the text "5,10]"; both NULL
			 * without "t". Use prof_record_time().
			 */
			const json_t *times;
			const char *times_text;
			enum prof_activity activity; /* PROF_N_ACTIVITIES: the line has no label */
			bool unresolved;
		} samples;
		struct prof_summary summary;
	};
};

/**
 * prof_record_parse() - convert a line
 * @o:		JSON object of the line; the record borrows from it
 * @record:	all members but line and len are written
 * @wrong:	description of the error; never contains bytes of the line
 *
 * Return: 0 or -EBADMSG with @wrong set.
 */
int prof_record_parse(const json_t *o, struct prof_record *record, const char **wrong);

/* Returns the id of frame @i, leaf first. */
u32 prof_record_frame(const struct prof_record *stack, u32 i);

/* A position in the times of a record; begin with a zeroed struct. */
struct prof_time {
	u64 t_us; /* microseconds since the start */
	size_t next; /* index, or offset in the text, of the next time */
};

/* Moves to the next time. Returns false at the end. */
bool prof_record_time(const struct prof_record *samples, struct prof_time *time);

/*
 * Returns the number of samples in [since, until); both 0: all samples. Samples without times
 * are in no part of a recording.
 */
u64 prof_record_count(const struct prof_record *samples, u64 since_us, u64 until_us);

/*
 * Adds @n to a reason. Adds to the count of a reason; if the reason is new and there is no
 * room for it, adds to the count of the last reason.
 */
void prof_reasons_add(struct prof_reasons *r, const char *words, u64 n);
