/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "../../core/types.h"
#include "budget.h"

/**
 * file_read() - read exactly @len bytes of a file
 * @fd:		file
 * @off:	file offset
 * @dst:	receives the bytes; undefined on failure
 * @len:	number of bytes
 *
 * Return: 0, -ENOEXEC if the file is shorter, -ETIME if the current budget is spent, or another
 * negative errno.
 */
static inline int file_read(int fd, u64 off, void *dst, u64 len)
{
	u8 *to = dst;

	if (budget_is_spent())
		return -ETIME;
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
 * file_read_some() - read up to @len bytes of a file with one pread()
 *
 * Return: the number of bytes, 0 at the end, -ETIME, or another negative errno; never -EINTR.
 */
static inline ssize_t file_read_some(int fd, u64 off, void *dst, size_t len)
{
	ssize_t n;

	if (budget_is_spent())
		return -ETIME;
	do
		n = pread(fd, dst, len, (off_t)off);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}
