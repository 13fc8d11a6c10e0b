/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs an untrusted program with one argument:
 *
 *	stdin    empty
 *	stdout   kept, up to PLUGIN_MAX_OUTPUT; more ends the run
 *	stderr   the last line is kept, for messages
 *	group    its own; killed as a whole when the program ends or its time is up, so
 *	         that no child keeps the pipes, or the processor, for longer
 */

#include <sys/types.h>

#include "../../core/types.h"

#define PLUGIN_MAX_OUTPUT (1u << 20)
#define PLUGIN_WHY_LEN 200

struct plugin_process {
	pid_t pid; /* 0: none runs */
	int pid_fd, out_fd, err_fd; /* -1: closed */
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC; end_ns is the time limit */
	char *out; /* output of the program, with room for PLUGIN_MAX_OUTPUT + 1 bytes */
	size_t out_len;
	char said[PLUGIN_WHY_LEN]; /* last bytes of stderr */
	size_t said_len;
	char why[PLUGIN_WHY_LEN]; /* after the end: the error; empty: none */
};

/**
 * plugin_process_init() - prepare to run programs, one at a time
 * @out:	freed by plugin_process_deinit(), which also ends a running program
 *
 * Return: 0 or -ENOMEM.
 */
int plugin_process_init(struct plugin_process *out);
void plugin_process_deinit(struct plugin_process *p);

/**
 * plugin_process_start() - run @program with the argument @path
 * @timeout_ns:	time limit
 *
 * Return: 0, or a negative errno if it can't be started.
 */
int plugin_process_start(struct plugin_process *p, const char *program, const char *path,
			 u64 timeout_ns);

/* Ends the running program, if any. */
void plugin_process_stop(struct plugin_process *p);

/**
 * plugin_process_wait() - wait until one of @n processes has ended
 * @wait:	false: only check
 *
 * While it waits, reads the output of all processes. Entries without a program are skipped.
 *
 * Return: the first process that has ended, with why set and pid 0; NULL if none has.
 */
struct plugin_process *plugin_process_wait(struct plugin_process *p, u32 n, bool wait);
