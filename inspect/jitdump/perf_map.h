/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Follows a perf map, the text file that JITs write for perf
 * (tools/perf/Documentation/jit-interface.txt):
 *
 *	START SIZE NAME		START and SIZE in hex, 0x optional; NAME may have blanks
 *
 * A map has no times; code in a later line is newer. The file may be hostile, as in jd_tail.h.
 * Invalid lines and code of zero length are skipped; the last line is read only after its newline
 * is written.
 */

#include <stddef.h>

#include "../../core/types.h"

#define PERF_MAP_MAX_NAME 1024 /* longer names are truncated */
#define PERF_MAP_KNOWN 64

struct perf_map_entry {
	u64 addr, len;
	const char *name; /* not terminated */
	size_t name_len;
};

/**
 * perf_map_line() - parse a line
 * @line:	without its newline; need not be terminated
 *
 * Return: 0, or -EBADMSG if this is no line of a perf map, the length is 0, or the range exceeds
 * the address space.
 */
int perf_map_line(const char *line, size_t len, struct perf_map_entry *e);

struct perf_map_tail {
	int fd;
	u64 off; /* file offset of the next line */
	bool in_long_line; /* the start of a long line was reported, so the rest of the line is
			    * skipped */
	u8 n_known;
	char known[PERF_MAP_KNOWN]; /* the last bytes before off, to detect another map */
};

/* Follows a file from its start. @t owns @fd, a regular file. */
void perf_map_open_fd(struct perf_map_tail *t, int fd);
void perf_map_deinit(struct perf_map_tail *t);

/**
 * perf_map_poll() - read new lines
 * @max:	limit of bytes per call
 * @fn:		called for each line, and with NULL if the file was rewritten, so that earlier lines
 *		are no longer valid
 *
 * Never blocks. Return: 1 when there is more to read, 0 when there is not, or the errno of reading.
 */
int perf_map_poll(struct perf_map_tail *t, u64 max,
		  void (*fn)(void *data, const struct perf_map_entry *e), void *data);
