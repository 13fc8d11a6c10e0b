/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "../../core/types.h"

/**
 * file_read() - so many bytes of a file
 * @fd:		file
 * @off:	where they begin in it
 * @dst:	gets them; undefined on failure
 * @len:	how many
 *
 * Return: 0; -ENOEXEC: the file ends before; or another negative errno.
 */
static inline int file_read(int fd, u64 off, void *dst, u64 len)
{
	u8 *to = dst;

	while (len) {
		ssize_t n = pread(fd, to, len < INT32_MAX ? len : INT32_MAX, (off_t)off);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ENOEXEC;
		if (n > 0) {
			to += n;
			off += (u64)n;
			len -= (u64)n;
		}
	}
	return 0;
}

/**
 * file_read_some() - up to @len bytes of a file, as one pread()
 *
 * Return: how many, 0 at the end, or a negative errno; never -EINTR.
 */
static inline ssize_t file_read_some(int fd, u64 off, void *dst, size_t len)
{
	ssize_t n;

	do
		n = pread(fd, dst, len, (off_t)off);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}
