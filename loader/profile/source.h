/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The bytes of a profile, plain or compressed with gzip or zstd. Which it is the
 * first bytes tell, never the file's name. Bytes come as they are read: a file
 * that is larger than memory, or grows without end, costs no more than others.
 */

#include <sys/types.h>

#include "../../core/types.h"

struct source;

/**
 * source_new() - start to read
 * @fd:		owned by the source from here on, also on failure
 *
 * Return: 0 or a negative errno.
 */
int source_new(int fd, struct source **source);
void source_free(struct source **source);

/**
 * source_read() - the next bytes
 *
 * Return: how many; 0 at the end; -EBADMSG when compressed data is damaged,
 * -ENODATA when it ends in the middle, or the negative errno of a read.
 */
ssize_t source_read(struct source *s, char *buf, size_t size);
