/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Replaces libbpf's header: the helpers that the programs call, implemented by a fake
 * kernel. A test sets the state of the kernel in `fake`, calls a program as a
 * function, and reads its effects in `fake`.
 *
 * User memory is an image of the simulator (sim/mem). Kernel memory is the memory
 * of the test process, read by plain pointers.
 */

#include "../../../../core/types.h"

#define SEC(name)
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name

struct sim_mem;
struct task_struct;

#define FAKE_MAX_SENT 2
#define FAKE_MAX_MAPS 3

struct fake_map {
	void *map; /* variable of the program that declares the map */
	void *values;
	size_t value_len;
	u32 n;
};

struct fake_sent {
	void *ring;
	u64 len;
	u64 flags;
	u8 *bytes; /* owned by the test; holds the largest possible record */
};

struct fake {
	/* The current process, CPU and time. */
	u32 cpu;
	u64 ids; /* process << 32 | thread, in the first PID namespace */
	u64 now_ns;
	struct task_struct *task;
	long in_cgroup; /* result of the cgroup check: 1, 0 or a negative errno */
	/* The state of the process. */
	struct sim_mem *mem;
	const void *saved_regs; /* user registers; NULL: they can't be read */
	const u64 *kernel_pcs;
	long n_kernel_pcs; /* negative: an errno */
	/* number of the user read after which *changed is incremented; 0: none */
	u32 n_user_reads;
	u32 change_at_read;
	u32 *changed;
	/* number of the map lookup after which *cleared is set to 0; 0: none */
	u32 n_lookups;
	u32 clear_at_lookup;
	u32 *cleared;
	/* The maps. */
	struct fake_map arrays[FAKE_MAX_MAPS];
	void *full_ring;
	struct fake_sent sent[FAKE_MAX_SENT];
	u32 n_sent;
};

extern struct fake fake;

long bpf_probe_read_user(void *dst, u32 len, const void *addr);
long bpf_probe_read_kernel(void *dst, u32 len, const void *src);
void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_ringbuf_output(void *ring, void *data, u64 len, u64 flags);
long bpf_get_stack(void *ctx, void *buf, u32 len, u64 flags);
long bpf_current_task_under_cgroup(void *map, u32 index);
long bpf_task_pt_regs(struct task_struct *task);

static inline u32 bpf_get_smp_processor_id(void)
{
	return fake.cpu;
}

static inline u64 bpf_get_current_task(void)
{
	return (u64)fake.task;
}

static inline struct task_struct *bpf_get_current_task_btf(void)
{
	return fake.task;
}

static inline u64 bpf_get_current_pid_tgid(void)
{
	return fake.ids;
}

static inline u64 bpf_ktime_get_ns(void)
{
	return fake.now_ns;
}
