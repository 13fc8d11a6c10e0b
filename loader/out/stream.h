/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A stream to a pipe or terminal. Writing can be cancelled while the reader does not read. */

#include <stdbool.h>
#include <stdio.h>

struct out_stop {
	int fd; /* is_asked() is called when this is readable */
	bool (*is_asked)(void *data); /* is a stop requested? Reads from fd */
	void *data;
};

/**
 * out_stream_new() - create a stream that writes to a file descriptor
 * @stream:	the new stream; the caller calls fclose()
 * @fd:		borrowed; its file status flags don't change
 * @stop:	borrowed
 *
 * After a stop is requested, every write fails with ECANCELED.
 *
 * Return: 0 or a negative errno.
 */
int out_stream_new(FILE **stream, int fd, const struct out_stop *stop);
