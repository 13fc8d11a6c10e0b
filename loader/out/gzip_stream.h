/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A stream whose bytes are written to another stream, compressed with gzip. */

#include <stdio.h>

/**
 * gzip_stream_new() - create a stream
 * @out:	borrowed until gzip_stream_close()
 * @level:	compression level of zlib; Z_BEST_SPEED for files that are large and short-lived
 *
 * Return: the stream, or NULL if out of memory.
 */
FILE *gzip_stream_new(FILE *out, int level);

/**
 * gzip_stream_close() - end the compressed data and close a stream
 * @f:		set to NULL; may be NULL before
 *
 * Return: 0, or the negative errno of a write to @f or to its output.
 */
int gzip_stream_close(FILE **f);
