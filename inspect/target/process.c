/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Memory is read through /proc/PID/mem, because a descriptor of that file is bound to one address
 * space: after an exec or exit, reads return end of file, never another process's memory. A read
 * that crosses into an unmapped page is short, which counts as a fault.
 *
 * The page cache is a direct-mapped table of N_PAGES slots. A read across a page boundary bypasses
 * the cache.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/budget.h"
#include "../util/cleanup.h"
#include "target.h"

#define PAGE_LEN 4096u /* the smallest of all architectures */
#define N_PAGES 64

struct target_pages {
	u64 addrs[N_PAGES]; /* 0: empty; page 0 is never read */
	u8 bytes[N_PAGES][PAGE_LEN];
};

static int read_now(const struct target_process *p, u64 addr, void *dst, size_t len)
{
	ssize_t n;

	if (addr > INT64_MAX - len)
		return -EFAULT;
	do
		n = pread(p->mem_fd, dst, len, (off_t)addr);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)len)
		return 0;
	/* 0 bytes without an error mean that the address space is gone. */
	return n == 0 ? -ESRCH : -EFAULT;
}

static int process_read(struct target *t, u64 addr, void *dst, size_t len)
{
	struct target_process *p = (struct target_process *)t;
	u64 page = addr & ~(u64)(PAGE_LEN - 1), i = addr / PAGE_LEN % N_PAGES;
	int err;

	if (!p->pages || !page || addr - page + len > PAGE_LEN)
		return read_now(p, addr, dst, len);
	if (p->pages->addrs[i] != page) {
		p->pages->addrs[i] = 0;
		err = read_now(p, page, p->pages->bytes[i], PAGE_LEN);
		if (err < 0)
			return err;
		p->pages->addrs[i] = page;
	}
	memcpy(dst, p->pages->bytes[i] + (addr - page), len);
	return 0;
}

static void process_renew(struct target *t)
{
	struct target_process *p = (struct target_process *)t;

	if (p->pages)
		memset(p->pages->addrs, 0, sizeof(p->pages->addrs));
}

int target_process_keep(struct target_process *t)
{
	t->pages = calloc(1, sizeof(*t->pages));
	return t->pages ? 0 : -ENOMEM;
}

int target_process_init(struct target_process *t, int pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	*t = (struct target_process){
		.target.read = process_read,
		.target.renew = process_renew,
		.mem_fd = fd,
	};
	return 0;
}

void target_process_deinit(struct target_process *t)
{
	cleanup_close(&t->mem_fd);
	t->mem_fd = -1;
	free(t->pages);
	t->pages = NULL;
}

void target_renew(struct target *t)
{
	if (t->renew)
		t->renew(t);
}

int target_read(struct target *t, u64 addr, void *dst, size_t len)
{
	int err = budget_is_spent() ? -EFAULT : len ? t->read(t, addr, dst, len) : 0;

	if (err < 0)
		memset(dst, 0, len);
	else if (t->on_read && len)
		t->on_read(t, addr, dst, len);
	return err;
}
