/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One run of somebody's program, with one argument, of which nothing is taken on trust:
 *
 *	stdin    empty
 *	stdout   kept, up to PLUGIN_MAX_OUTPUT; more ends it
 *	stderr   its last line is kept, for people
 *	group    its own; killed as a whole when the program ends or its time is up, so
 *	         that no child of it holds the pipes, or the processor, for longer
 */

#include <sys/types.h>

#include "../../core/types.h"

#define PLUGIN_MAX_OUTPUT (1u << 20)
#define PLUGIN_WHY_LEN 200

struct plugin_process {
	pid_t pid; /* 0: none runs */
	int pid_fd, out_fd, err_fd; /* -1: closed */
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC; end: when its time is up */
	char *out; /* what it printed, PLUGIN_MAX_OUTPUT + 1 bytes of room */
	size_t out_len;
	char said[PLUGIN_WHY_LEN]; /* the end of stderr */
	size_t said_len;
	char why[PLUGIN_WHY_LEN]; /* when it has ended: what was wrong with that; empty: nothing */
};

/**
 * plugin_process_init() - make room for runs, one at a time
 * @out:	ends with plugin_process_deinit(), which also ends what runs
 *
 * Return: 0 or -ENOMEM.
 */
int plugin_process_init(struct plugin_process *out);
void plugin_process_deinit(struct plugin_process *p);

/**
 * plugin_process_start() - run @program with the argument @path
 * @timeout_ns:	how long it may run
 *
 * Return: 0, or a negative errno when it can't be started.
 */
int plugin_process_start(struct plugin_process *p, const char *program, const char *path,
			 u64 timeout_ns);

/* Ends what runs, if anything does. */
void plugin_process_stop(struct plugin_process *p);

/**
 * plugin_process_wait() - until one of @n has ended
 * @wait:	false: only look
 *
 * All are fed meanwhile. Those that run no program are passed over.
 *
 * Return: the first that has ended, its why filled in and its pid 0; NULL: none.
 */
struct plugin_process *plugin_process_wait(struct plugin_process *p, u32 n, bool wait);
