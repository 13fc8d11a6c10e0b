/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * /proc/PID/mem, because it is tied to the image that was opened: after an exec
 * or exit it reads as end of file, never as somebody else's memory. A read that
 * crosses into what is not mapped comes back short, which counts as a fault.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../util/cleanup.h"
#include "target.h"

static int process_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct target_process *p = (struct target_process *)t;
	ssize_t n;

	if (addr > INT64_MAX - len)
		return -EFAULT;
	do
		n = pread(p->mem_fd, dst, len, (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)len)
		return 0;
	/* 0 bytes without an error: there is no memory any more at all. */
	return n == 0 ? -ESRCH : -EFAULT;
}

int target_process_init(struct target_process *t, int pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	*t = (struct target_process){ .target.read = process_read, .mem_fd = fd };
	return 0;
}

void target_process_deinit(struct target_process *t)
{
	cleanup_close(&t->mem_fd);
	t->mem_fd = -1;
}

int target_read(struct target *t, u64 addr, void *dst, size_t len)
{
	int r = len ? t->read(t, addr, dst, len) : 0;

	if (r < 0)
		memset(dst, 0, len);
	else if (t->on_read && len)
		t->on_read(t, addr, dst, len);
	return r;
}
