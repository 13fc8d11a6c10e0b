/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A whole profile in memory, put together from its lines: what reports and
 * formats other than the lines themselves are made from.
 *
 * Ids of the file are gone: frames, stacks, processes and threads are indices
 * into arrays. A process or thread that was replaced (exec, reuse) is an entry
 * of its own.
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
	const char *reason; /* NULL when complete */
	u64 samples;
};

/* Samples that share all of this are counted together. */
struct data_cell {
	u32 process; /* index */
	u32 thread; /* index into threads' names, DATA_NONE without a line of its own */
	u32 tid;
	u32 stack; /* index */
};

/* A part of a recording, in microseconds since its start. */
struct data_span {
	u64 since_us, until_us; /* 0, 0: all of it; until 0: to its end */
};

struct prof_data {
	u32 hz;
	struct data_process *processes;
	const char **threads;
	struct prof_frame *frames;
	struct data_stack *stacks;
	u64 *counts; /* of cell i, see data_cell() */
	u32 n_processes, n_threads, n_frames, n_stacks, n_cells;
	u32 n_pids; /* that have samples */
	u64 samples; /* counted from the lines */
	u64 last_t_us;
	struct prof_summary summary;
	bool interrupted; /* the file has no summary: it was made from the lines */
	struct data_build *build;
};

/**
 * data_read() - read a whole profile
 * @reader:	at its start; read to its end
 * @data:	free with data_free()
 *
 * Return: 0, -EBADMSG when the file is broken or too large to hold (1 GiB), or
 * another negative errno; prof_reader_error() tells more.
 */
int data_read(struct prof_reader *reader, struct prof_data **data);

/* The same with the samples of a part alone; the summary is made from the lines. */
int data_read_span(struct prof_reader *reader, const struct data_span *span,
		   struct prof_data **data);
void data_free(struct prof_data **data);

/* The process with the most samples; NULL: there is none. */
const struct data_process *data_busiest(const struct prof_data *d);

/* Cell @i in the order of first sight, below n_cells. */
struct data_cell data_cell(const struct prof_data *d, u32 i);
