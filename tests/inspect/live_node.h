/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A Node.js process under test. The process is stopped at random instants; the core walks its stack
 * with the registers at the stop.
 */

#include <stdio.h>

#include "../../inspect/v8/v8_build.h"
#include "live_cpu.h"
#include "live_rows.h"

#define LIVE_MAX_MAPPINGS 512

struct live_node {
	int pid;
	struct live_cpu cpu; /* its main thread */
	FILE *out; /* its standard output */
	struct target_process process;
	struct v8_heap *heap;
	char *exe;
	const struct v8_deltas *deltas; /* table of V8 versions to use; NULL: the complete table */
	const char *why; /* why this V8 is unsupported (static text); NULL: supported */
	struct v8_build *build; /* build of the executable */
	u64 exe_dev, exe_inode;
	char *maps; /* text of /proc/PID/maps when it was last read */
	struct uw_mapping mappings[LIVE_MAX_MAPPINGS];
	size_t n_mappings;
	struct live_rows rows;
	struct uw_state walk;
};

/*
 * Starts a process. @n: all zero, or a process that was stopped with live_node_stop(), whose data
 * about the executable are reused.
 * @argv: NULL-terminated. All functions here return 0 or a negative errno.
 */
int live_node_start(struct live_node *n, char *const argv[]);
void live_node_stop(struct live_node *n);
/* Stops the process, and frees the data about the executable. */
void live_node_end(struct live_node *n);

/*
 * Stops the process and fills n->walk.sample. The process stays stopped until live_node_resume().
 */
int live_node_sample(struct live_node *n);
int live_node_resume(struct live_node *n);

/* The parts of live_node_sample(), for a stopped process. */
int live_node_read_mappings(struct live_node *n, bool is_fresh);
int live_node_walk(struct live_node *n);

/* Sets the code regions of @heap, which is another heap of the same process. */
int live_node_set_regions(struct live_node *n, struct v8_heap *heap);

/*
 * Symbolizes the stack of the stopped process again for several n, while every n-th read fails.
 * Adds the number of stacks to *n_stacks, and the number of frames with a wrong name or line to
 * *n_made_up.
 */
int live_sweep_failing_reads(struct live_node *node, int *n_stacks, int *n_made_up);
