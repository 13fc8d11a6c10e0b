/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A file that is written whole or not at all: it gets its name when it is complete.
 * "-" is standard output; a device or a pipe is written as it comes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sim_whole {
	FILE *f; /* NULL: not open */
	const char *path; /* borrowed */
	char *temporary; /* NULL: what has no name of its own yet */
};

/**
 * sim_whole_open() - begin a file
 * @path:	borrowed until the end; a file that is there keeps its mode
 * @out:	ends with sim_whole_close()
 *
 * Never waits: a pipe that nobody reads is -ENXIO.
 *
 * Return: 0 or a negative errno.
 */
int sim_whole_open(const char *path, struct sim_whole *out);

/**
 * sim_whole_close() - end it
 * @is_good:	give it its name; false: leave no trace of it
 *
 * Return: 0 (also when nothing is open), or a negative errno: the file that was
 * there before, if any, is as it was.
 */
int sim_whole_close(struct sim_whole *w, bool is_good);

/**
 * sim_read_file() - read a text file as a whole
 * @max:	bytes; a longer file is -EFBIG
 * @out:	the caller's, ends with a NUL byte
 *
 * Never waits.
 *
 * Return: 0 or a negative errno, -EINVAL when it is no regular file or no text.
 */
int sim_read_file(const char *path, size_t max, char **out);
