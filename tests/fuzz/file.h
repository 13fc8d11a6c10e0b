/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Provides the input as a file, for parsers that open a file. */

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

/* Returns a descriptor of an anonymous file with the input. All inputs use the same file. */
static inline int fuzz_fd(const u8 *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	FUZZ_MUST(fd >= 0 && !ftruncate(fd, (off_t)size) &&
			  pwrite(fd, data, size, 0) == (ssize_t)size && !lseek(fd, 0, SEEK_SET),
		  "cannot create a file of %zu bytes", size);
	return fd;
}

/* Returns the path of the file of fuzz_fd(). */
static inline const char *fuzz_path(const u8 *data, size_t size)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_fd(data, size));
	return path;
}
