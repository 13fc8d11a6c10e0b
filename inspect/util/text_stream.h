/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A stream whose text is kept in memory. open_memstream() of glibc 2.36 does not say when
 * it found no memory: neither ferror() nor fclose() tell, and text is missing.
 */

#include <stddef.h>
#include <stdio.h>

struct text_stream {
	char *text; /* ends with a NUL; NULL until something was flushed */
	size_t len;
	size_t room;
};

/**
 * text_stream_flush() - has what was written to a stream arrived?
 *
 * Return: 0 or a negative errno; -EIO when it was an earlier write that failed.
 */
int text_stream_flush(FILE *f);

/**
 * text_stream_open() - begin
 * @s:	stays where it is while the stream is open
 *
 * Return: the stream, which text_stream_close() ends, or NULL.
 */
FILE *text_stream_open(struct text_stream *s);

/**
 * text_stream_close() - end
 * @s:		what was given to text_stream_open(); empty afterwards
 * @f:		the stream
 * @out:	the text, for free()
 * @len:	its bytes
 *
 * Return: 0, or -ENOMEM when something that was written is missing.
 */
int text_stream_close(struct text_stream *s, FILE *f, char **out, size_t *len);
