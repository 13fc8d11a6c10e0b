/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The bytes of a profile, plain, compressed with gzip or zstd, or carried by an HTML page. The
 * first bytes determine the form; the file's name does not. Bytes are streamed, so memory use does
 * not depend on the length of the file.
 */

#include <sys/types.h>

#include "../../core/types.h"

struct source;

/**
 * source_new() - create a source
 * @fd:		the source owns it from here on, even on failure
 *
 * Return: 0 or a negative errno.
 */
int source_new(int fd, struct source **source);
void source_free(struct source **source);

/* After the end of a file that is not compressed: lets source_read() return bytes added since. */
void source_resume(struct source *s);

/**
 * source_read() - read the next bytes
 *
 * Return: the number of bytes; 0 at the end; -EBADMSG for corrupt compressed data, -ENODATA
 *         for truncated compressed data, -ENOMSG for an HTML page without a record, or the
 *         negative errno of a read.
 */
ssize_t source_read(struct source *s, char *buf, size_t size);
