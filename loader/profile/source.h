/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The bytes of a profile, plain or compressed with gzip or zstd. The first bytes determine
 * the compression; the file's name does not. Bytes are streamed, so a file that is larger
 * than memory, or that grows endlessly, needs no more memory than others.
 */

#include <sys/types.h>

#include "../../core/types.h"

struct source;

/**
 * source_new() - create a source
 * @fd:		the source owns it from here on, also on failure
 *
 * Return: 0 or a negative errno.
 */
int source_new(int fd, struct source **source);
void source_free(struct source **source);

/**
 * source_read() - read the next bytes
 *
 * Return: their number; 0 at the end; -EBADMSG for damaged compressed data, -ENODATA
 * for compressed data that is truncated, or the negative errno of a read.
 */
ssize_t source_read(struct source *s, char *buf, size_t size);
