/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Maps an image into this process at its own addresses, where BPF programs can read it. */

#include "../../sim/mem/image.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* May this process load BPF programs at all? If so, any later error is a failure of the test. */
static inline bool kernel_can_run(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Pins the thread to its current CPU, because the programs store results in a per-CPU array. */
static inline int kernel_pin(u32 *cpu)
{
	cpu_set_t set;
	int at = sched_getcpu();

	if (at < 0)
		return -errno;
	CPU_ZERO(&set);
	CPU_SET(at, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -errno;
	*cpu = (u32)at;
	return 0;
}

static inline int kernel_map_page(const struct sim_region *r, u64 off)
{
	u8 flags = r->pages[off / SIM_PAGE_LEN];
	void *at = (void *)(r->addr + off), *got;

	if (!(flags & SIM_MAPPED))
		return 0;
	got = mmap(at, SIM_PAGE_LEN, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
			   (flags & SIM_PRESENT ? MAP_POPULATE : 0),
		   -1, 0);
	if (got != at)
		return got == MAP_FAILED ? -errno : -EEXIST;
	if (flags & SIM_PRESENT)
		memcpy(at, r->bytes + off, SIM_PAGE_LEN);
	return mprotect(at, SIM_PAGE_LEN, flags & SIM_READ ? PROT_READ | PROT_WRITE : PROT_NONE)
		       ? -errno
		       : 0;
}

static inline void kernel_unmap(struct sim_mem *mem)
{
	size_t n;
	const struct sim_region *regions = sim_image_regions(mem, &n);

	for (size_t i = 0; i < n; i++)
		munmap((void *)regions[i].addr, regions[i].len);
}

/**
 * kernel_map() - map an image at its own addresses in this process
 *
 * Every readable page is writable here as well, for tests that change words.
 *
 * Return: 0, or a negative errno; then nothing is mapped.
 */
static inline int kernel_map(struct sim_mem *mem)
{
	size_t n;
	const struct sim_region *regions = sim_image_regions(mem, &n);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		for (u64 off = 0; off < regions[i].len && !err; off += SIM_PAGE_LEN)
			err = kernel_map_page(&regions[i], off);
	if (err && err != -EEXIST)
		kernel_unmap(mem);
	return err;
}
