/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A whole profile in memory, built from its lines. Reports use such a profile, and so do
 * all output formats except those that copy the lines.
 *
 * The ids of the file are replaced: frames, stacks, processes and threads are indices into
 * arrays. A process or thread that was replaced (by exec, or by reuse of its id) has a
 * separate entry.
 */

#include "intern.h"
#include "reader.h"

#define DATA_NONE (~0u)

struct data_process {
	struct prof_process process;
	u64 samples;
};

struct data_stack {
	const u32 *frames; /* indices, leaf first */
	u32 n_frames;
	enum prof_status status;
	const char *reason; /* why the stack is not complete; NULL for complete stacks */
	u64 samples;
};

/* Samples that have the same values of all these members are counted together. */
struct data_cell {
	u32 process; /* index */
	u32 thread; /* index into the names of threads; DATA_NONE: no thread line */
	u32 tid;
	u32 stack; /* index */
};

/*
 * Samples of one cell at one time. Times are microseconds since the start; samples of a line
 * without "t" have no time, and only they have a count above 1.
 */
struct data_sample {
	u64 t_us;
	u32 cell, count;
	u8 activity; /* enum prof_activity */
	bool has_time;
};

/* Strings of the header line; NULL: missing. @start: RFC 3339 */
struct data_header {
	const char *start, *arch, *kernel;
};

/* The time span of a part of a recording, in microseconds since the start. */
struct data_span {
	u64 since_us, until_us; /* both 0: everything; until_us 0: to the end */
};

struct prof_data {
	u32 hz;
	struct data_header header;
	struct data_process *processes;
	const char **threads;
	struct prof_frame *frames;
	struct data_stack *stacks;
	u64 *counts; /* samples of cell i, see data_cell() */
	u32 n_processes, n_threads, n_frames, n_stacks, n_cells;
	u32 n_pids; /* number of pids with samples */
	u64 samples; /* total count of the "samples" lines */
	u64 last_t_us;
	struct data_sample *list; /* every sample, in the order of the file; only from
				   * data_read_samples() */
	u32 n_list, list_room;
	struct prof_summary summary;
	bool interrupted; /* the file has no summary, so it was computed from the lines */
	struct data_build *build;
};

/**
 * data_read() - read a whole profile
 * @reader:	at the start of the profile; read to its end
 * @data:	free with data_free()
 *
 * Return: 0, -EBADMSG when the file is malformed or too large to hold (1 GiB), or
 * another negative errno; prof_reader_error() has details.
 */
int data_read(struct prof_reader *reader, struct prof_data **data);

/* Like data_read(), but only samples in @span. The summary is computed from the lines. */
int data_read_span(struct prof_reader *reader, const struct data_span *span,
		   struct prof_data **data);

/* Like data_read(), and also makes the list of samples. */
int data_read_samples(struct prof_reader *reader, struct prof_data **data);

/**
 * data_read_more() - read a profile that grows
 * @reader:	reads the lines that follow those already in @d; see prof_reader_resume()
 * @d:		from data_new(), without a summary line so far; unusable after a failure
 *
 * Return: as data_read().
 */
int data_read_more(struct prof_reader *reader, struct prof_data *d);

/* Makes an empty profile for data_read_more(). Returns 0 or -ENOMEM. */
int data_new(struct prof_data **data);
void data_free(struct prof_data **data);

/* The process with the most samples, or NULL if there is none. */
const struct data_process *data_busiest(const struct prof_data *d);

/*
 * Adds the samples of a line, which belong to @cell, to the list; @stack is the cell's stack.
 * Returns 0, -ENOSPC if the list has 2^24 elements, or -ENOMEM.
 */
int data_samples_add(struct prof_data *d, const struct prof_record *samples, u32 cell, u32 stack);

/* Cell @i, below n_cells, in the order of first appearance. */
struct data_cell data_cell(const struct prof_data *d, u32 i);
