/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A Node.js process under test: started, stopped at random instants, its stack
 * walked by the core with the registers that it has there.
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
	const struct v8_deltas *deltas; /* versions of V8 to know; NULL: all */
	const char *why; /* static: this V8 is not supported; NULL: it is */
	struct v8_build *build; /* the executable's */
	u64 exe_dev, exe_inode;
	char *maps; /* as last read */
	struct uw_mapping mappings[LIVE_MAX_MAPPINGS];
	size_t n_mappings;
	struct live_rows rows;
	struct uw_state walk;
};

/*
 * @n: zeros, or what was stopped: what is known of the executable serves again.
 * @argv: NULL-terminated. All of these: 0 or a negative errno.
 */
int live_node_start(struct live_node *n, char *const argv[]);
void live_node_stop(struct live_node *n);
/* Stops it, and forgets the executable. */
void live_node_end(struct live_node *n);

/* Stops the process and fills n->walk.sample; it stays stopped until live_node_resume(). */
int live_node_sample(struct live_node *n);
int live_node_resume(struct live_node *n);

/* Of the stopped process, one at a time: what live_node_sample() does together. */
int live_node_read_mappings(struct live_node *n, bool is_fresh);
int live_node_walk(struct live_node *n);

/* Tells another heap over the same process where its code is. */
int live_node_tell_regions(struct live_node *n, struct v8_heap *heap);

/*
 * Names the stopped process's stack again with every n-th read failing, for some
 * n; counts the stacks, and the frames whose names or lines were made up then.
 */
int live_sweep_faults(struct live_node *node, int *n_stacks, int *n_made_up);
