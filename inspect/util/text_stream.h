/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A stream into memory that reports failed allocations. open_memstream() of glibc 2.36 then loses
 * text without an error from ferror() or fclose().
 */

#include <stddef.h>
#include <stdio.h>

struct text_stream {
	char *text; /* ends with a NUL; NULL until text was flushed */
	size_t len;
	size_t room;
};

/**
 * text_stream_flush() - flush a stream and check for errors
 *
 * Return: 0 or a negative errno; -EIO when an earlier write failed.
 */
int text_stream_flush(FILE *f);

/**
 * text_stream_open() - open a stream
 * @s:	must not move while the stream is open
 *
 * Return: the stream, to be closed with text_stream_close(), or NULL.
 */
FILE *text_stream_open(struct text_stream *s);

/**
 * text_stream_close() - close a stream and get its text
 * @s:		as passed to text_stream_open(); empty afterwards
 * @f:		the stream
 * @out:	the text, to be freed with free()
 * @len:	length of the text in bytes
 *
 * Return: 0, or -ENOMEM if memory for some of the text could not be allocated.
 */
int text_stream_close(struct text_stream *s, FILE *f, char **out, size_t *len);
