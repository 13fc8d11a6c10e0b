/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs the recorder's writer in the kernel, with its rings mapped into this process and this thread
 * bound to one CPU.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "../../inspect/flight/fl_ring.h"
#include "flight-kernel.skel.h"

struct kernel {
	struct flight_kernel *skel;
	struct fl_ring ring; /* the ring of the CPU to which this thread is bound */
	void *map;
	size_t map_len;
};

static inline int kernel_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static inline void kernel_unload(struct kernel *k)
{
	if (k->map)
		munmap(k->map, k->map_len);
	flight_kernel__destroy(k->skel);
	*k = (struct kernel){ 0 };
}

static inline int kernel_map(struct kernel *k, u64 ring_len, u32 n_cpus, int cpu)
{
	k->map_len = ring_len * n_cpus;
	k->map = mmap(NULL, k->map_len, PROT_READ, MAP_SHARED,
		      bpf_map__fd(k->skel->maps.flight_rings), 0);
	if (k->map == MAP_FAILED) {
		k->map = NULL;
		return -errno;
	}
	return fl_ring_init((u8 *)k->map + ring_len * (u64)cpu, ring_len, &k->ring);
}

/* Creates rings of @n_slots; entries are written on @cpu. Returns 0 or a negative errno. */
static inline int kernel_load(struct kernel *k, u64 n_slots, int cpu)
{
	u64 ring_len = sizeof(struct flight_ring) + n_slots * sizeof(struct flight_slot);
	int n_cpus = libbpf_num_possible_cpus(), err;
	cpu_set_t set;

	*k = (struct kernel){ 0 };
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	libbpf_set_print(kernel_quiet);
	if (n_cpus < 0 || sched_setaffinity(0, sizeof(set), &set))
		return -EINVAL;
	k->skel = flight_kernel__open();
	if (!k->skel)
		return -errno;
	*(u64 *)&k->skel->rodata->flight_slot_mask = n_slots - 1;
	err = bpf_map__set_value_size(k->skel->maps.flight_rings, (u32)ring_len);
	if (!err)
		err = bpf_map__set_max_entries(k->skel->maps.flight_rings, (u32)n_cpus);
	if (!err)
		err = flight_kernel__load(k->skel);
	if (!err)
		err = kernel_map(k, ring_len, (u32)n_cpus, cpu);
	if (err)
		kernel_unload(k);
	else
		k->skel->data_flight->flight_page.mask = ~0ull;
	return err;
}

/* Runs a program @n times; returns the ns per run, or a negative errno. */
static inline int kernel_run(const struct bpf_program *program, u32 n)
{
	u8 packet[14] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = (int)n);
	int err = bpf_prog_test_run_opts(bpf_program__fd(program), &o);

	return err ? err : (int)o.duration;
}
