/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile as formats for viewers need it: threads with their samples in the order of time,
 * and stacks as paths of nodes. Private to loader/out.
 *
 *	threads   | main thread | worker 1 | ...      first, n
 *	samples   | t ... ........... | t ... | ...   sorted by thread and time
 *	nodes     | functions ... | async callers, ends of incomplete stacks ... |
 *
 * Names of nodes, threads and processes have '?' in place of control and bidirectional
 * characters.
 */

#include "../../inspect/util/arena.h"
#include "../profile/data.h"
#include "../query/functions.h"
#include "../query/threads.h"

/* A label in a stack. */
struct model_node {
	const char *name, *where; /* @where: file or module, else "[kind]" */
	const struct function *function; /* NULL: the end of an incomplete stack; @where is NULL */
	const struct prof_frame *frame; /* first frame of the function; NULL without a function */
};

struct model_thread {
	const char *process; /* name, or "pid 812" */
	const char *name; /* "main thread", "worker 1", ... */
	u32 pid, tid;
	u32 first, n; /* its samples in model.data->list */
	u64 count; /* the sum of their counts */
};

struct model {
	struct prof_reader *in; /* borrowed */
	struct prof_data *data; /* its list of samples is sorted by thread and time, and each
				 * sample has a time */
	struct functions functions;
	struct threads labels;
	struct model_thread *threads;
	u32 n_threads, busiest; /* the thread with the most samples */
	struct model_node *nodes;
	u32 n_nodes, nodes_room;
	u32 *node_of_frame, *stack_of_cell;
	u32 *end_of_stack; /* node, or DATA_NONE for a complete stack with frames */
	u64 start_ns; /* when the recording started, since 1970; 0: unknown */
	u64 period_ns; /* time between two samples of a thread that uses a CPU; never 0 */
	struct arena texts;
};

/* The longest path: the frames of a stack, and its end. */
#define MODEL_MAX_PATH (PROF_MAX_FRAMES + 1)

/**
 * model_read() - read a whole profile
 * @in:		at the start of the profile
 * @m:		the caller calls model_deinit(), even on failure
 *
 * Return: 0, -EBADMSG if the profile is malformed, has no sample, or is too large, or another
 * negative errno; prof_reader_error() has details.
 */
int model_read(struct prof_reader *in, struct model *m);
void model_deinit(struct model *m);

/* Stores the nodes of a stack, root first, and returns their number. */
u32 model_path(const struct model *m, u32 stack, u32 path[MODEL_MAX_PATH]);

/* Returns the stack of a sample as an index. */
u32 model_stack(const struct model *m, const struct data_sample *sample);

/*
 * Converts the error of a table: -ENOSPC (full) becomes an error of the reader, because a full
 * disk is another error. Returns the new error.
 */
int model_table_error(struct model *m, int err);

/*
 * Replaces control and bidirectional characters by '?'. Returns @s itself if it has none, else a
 * string that is valid until model_deinit(); NULL if out of memory.
 */
const char *model_clean(struct model *m, const char *s);
