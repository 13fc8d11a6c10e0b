/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A stream to a pipe or terminal that can be given up while its reader does not read. */

#include <stdbool.h>
#include <stdio.h>

struct out_stop {
	int fd; /* readable when it is worth to ask */
	bool (*is_asked)(void *data); /* must the writing end? Reads from fd. */
	void *data;
};

/**
 * out_stream_new() - a stream that writes to a file descriptor
 * @stream:	new stream, fclose() it
 * @fd:		borrowed; other users of the same pipe are not disturbed
 * @stop:	borrowed
 *
 * Once the end is asked for, every write fails with ECANCELED.
 *
 * Return: 0 or a negative errno.
 */
int out_stream_new(FILE **stream, int fd, const struct out_stop *stop);
