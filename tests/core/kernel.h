/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The conformance program: the core walks in the kernel, over memory of this
 * process that lies where the target has it. CONFORMANCE_SKEL is the skeleton of
 * the flavour under test; both run on any host.
 */

#include "../../bpf/tables.h"
#include "../../sim/mem/image.h"
#include "../../sim/target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include CONFORMANCE_SKEL

struct kernel {
	struct conformance_bpf *skel;
	u8 *slots;
	size_t slots_len;
	struct uw_state *state; /* of the CPU that this thread is pinned to */
	u32 n_mappings; /* of the pool, in use */
};

/* As in bpf/conformance.bpf.c. */
struct kernel_start {
	u64 pc, sp, fp, lr;
	u64 extent;
	u64 va_mask;
};

static inline int kernel_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

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

/* May this process load BPF programs at all? Anything that goes wrong later is a failure. */
static inline bool kernel_can_run(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static inline void kernel_close(struct kernel *k)
{
	if (k->slots)
		munmap(k->slots, k->slots_len);
	conformance_bpf__destroy(k->skel);
	*k = (struct kernel){ 0 };
}

static inline int kernel_open(struct kernel *k)
{
	size_t value_len;
	u32 cpu = 0;
	int err = kernel_pin(&cpu);

	*k = (struct kernel){ 0 };
	libbpf_set_print(kernel_quiet);
	if (err)
		return err;
	k->skel = conformance_bpf__open();
	if (!k->skel)
		return -errno;
	bpf_map__set_max_entries(k->skel->maps.uw_slots, cpu + 1);
	err = conformance_bpf__load(k->skel);
	if (err)
		goto fail;
	value_len = (bpf_map__value_size(k->skel->maps.uw_slots) + 7u) & ~7u;
	k->slots_len = value_len * (cpu + 1);
	k->slots = mmap(NULL, k->slots_len, PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(k->skel->maps.uw_slots), 0);
	if (k->slots == MAP_FAILED) {
		k->slots = NULL;
		err = -errno;
		goto fail;
	}
	k->state = (struct uw_state *)(k->slots + value_len * cpu);
	return 0;
fail:
	kernel_close(k);
	return err;
}

/* The target's tables, into the program's. */
static inline void kernel_set_tables(struct kernel *k, const struct sim_target *t)
{
	memcpy(k->skel->bss->uw_mappings, t->mappings, t->n_mappings * sizeof(*t->mappings));
	memcpy(k->skel->bss->uw_v8_builds, t->v8_builds, t->n_v8_builds * sizeof(*t->v8_builds));
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
 * kernel_map() - an image at its own addresses in this process
 *
 * Every readable page is writable here as well, for tests that change words.
 *
 * Return: 0, or a negative errno and nothing is mapped.
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

static inline struct kernel_start kernel_start_of(const struct sim_target *t)
{
	return (struct kernel_start){ t->regs.pc, t->regs.sp, t->regs.fp,
				      t->regs.lr, t->extent,  t->va_mask };
}

/* Walks @t, whose memory is mapped; the sample is in k->state. */
static inline int kernel_walk(struct kernel *k, const struct sim_target *t)
{
	struct kernel_start start = kernel_start_of(t);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &start, .ctx_size_in = sizeof(start));

	return bpf_prog_test_run_opts(bpf_program__fd(k->skel->progs.uw_run_raw_tp), &opts);
}
