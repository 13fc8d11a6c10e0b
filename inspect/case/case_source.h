/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The bytes of a file that may be compressed. Private to inspect/case. */

#include "case_format.h"

#include <libelf.h>

struct case_source {
	int fd; /* -1: the whole file is in the member bytes */
	u8 *bytes; /* the expanded contents of a compressed file */
	u64 len;
	Elf *elf;
};

/**
 * case_source_open() - open a file, and expand it if it is compressed
 * @out:	close with case_source_close(), also after a failure
 *
 * Return: 0 or a negative errno with @error set.
 */
int case_source_open(const char *path, struct case_error *error, struct case_source *out);
void case_source_close(struct case_source *s);

/* Reads @len bytes. Return: 0 or a negative errno; -ENOEXEC at the end of the file. */
int case_source_read(const struct case_source *s, u64 off, void *dst, u64 len);
