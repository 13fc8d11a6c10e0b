/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A file that is written whole or not at all: it gets its name when it is complete.
 * "-" is standard output; a device or a pipe is written as it comes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct whole_file {
	FILE *f; /* NULL: not open */
	const char *path; /* borrowed */
	char *temporary; /* NULL: what has no name of its own yet */
};

/**
 * whole_file_open() - begin a file
 * @path:	borrowed until the end
 * @is_private:	mode 0600; else a file that is there keeps its mode
 * @out:	ends with whole_file_close()
 *
 * Never waits: a pipe that nobody reads is -ENXIO.
 *
 * Return: 0 or a negative errno.
 */
int whole_file_open(const char *path, bool is_private, struct whole_file *out);

/* A FIFO or character device, opened for writing. -ENXIO: nobody reads; -EINVAL: another file. */
int whole_file_open_special(const char *path);

/**
 * whole_file_close() - end it
 * @is_good:	give it its name; false: leave no trace of it
 *
 * Return: 0 (also when nothing is open), or a negative errno: the file that was
 * there before, if any, is as it was.
 */
int whole_file_close(struct whole_file *w, bool is_good);

/**
 * whole_file_read() - read a text file as a whole
 * @max:	bytes; a longer file is -EFBIG
 * @out:	the caller's, ends with a NUL byte
 *
 * Never waits.
 *
 * Return: 0 or a negative errno, -EINVAL when it is no regular file or no text, -ENOEXEC when it
 *	   was cut meanwhile.
 */
int whole_file_read(const char *path, size_t max, char **out);
