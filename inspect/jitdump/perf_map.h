/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Follows a perf map, the text that JITs write for perf
 *(tools/perf/Documentation/jit-interface.txt):
 *
 *	START SIZE NAME		both in hex, wasmtime with 0x; a name may hold blanks
 *
 * It has no times: a later line is later code. A stranger's file, as jd_tail.h has it; what is
 * no such line is left out, and so are code without a byte and a last line without its newline,
 * until that is there.
 */

#include <stddef.h>

#include "../../core/types.h"

#define PERF_MAP_MAX_NAME 1024 /* what is longer is cut */
#define PERF_MAP_KNOWN 64

struct perf_map_entry {
	u64 addr, len;
	const char *name; /* not terminated */
	size_t name_len;
};

/**
 * perf_map_line() - take a line apart
 * @line:	without its newline; need not be terminated
 *
 * Return: 0 or -EBADMSG: no line of a perf map, no byte of code, or beyond the address space.
 */
int perf_map_line(const char *line, size_t len, struct perf_map_entry *e);

struct perf_map_tail {
	int fd;
	u64 off; /* of the line to be read next */
	bool in_long_line; /* its begin was taken: the rest is passed over */
	u8 n_known;
	char known[PERF_MAP_KNOWN]; /* the last bytes before off: another text there is another map
				     */
};

/* Begins at the file's start. @fd: a regular file; taken. */
void perf_map_open_fd(struct perf_map_tail *t, int fd);
void perf_map_deinit(struct perf_map_tail *t);

/**
 * perf_map_poll() - what has been added
 * @max:	bytes to look at most
 * @fn:		called for each line; with NULL when the file was written anew: what was said is
 *		void then
 *
 * Never blocks. Return: 1 when there is more at once, 0 when there is not, or what reading gave.
 */
int perf_map_poll(struct perf_map_tail *t, u64 max,
		  void (*fn)(void *data, const struct perf_map_entry *e), void *data);
