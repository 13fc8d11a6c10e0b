/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The flight recorder in the kernel: one ring for each CPU, in a map that user space maps into its
 * memory. Before the loader loads the programs, it sets a ring's length in the map's value size and
 * in flight_slot_mask, so the verifier sees the mask as a constant.
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <flight_fence.h>

#define FLIGHT_LEAST_SLOTS 32 /* room for two entries of the largest size */
#define FLIGHT_BUILT (~(1ull << FLIGHT_DECISION | 1ull << FLIGHT_READ))
#define FLIGHT_COLD __attribute__((noinline))

/*
 * The control page, which user space writes. The control page has a separate map, so that this map
 * can be pinned without the rings.
 */
struct flight_control flight_page SEC(".data.flight");
const volatile u64 flight_slot_mask = FLIGHT_LEAST_SLOTS - 1;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader sets this to the number of CPUs + 1 (its own ring) */
	__uint(key_size, sizeof(u32));
	__uint(value_size,
	       sizeof(struct flight_ring) + FLIGHT_LEAST_SLOTS * sizeof(struct flight_slot));
} flight_rings SEC(".maps");

UW_INLINE const struct flight_control *flight_control(void)
{
	return &flight_page;
}

UW_INLINE struct flight_ring *flight_ring(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&flight_rings, &cpu);
}

/* The masking is in inline assembly, so that clang can't optimize it away. */
UW_INLINE struct flight_slot *flight_slot(struct flight_ring *r, u64 index)
{
	asm volatile("%0 &= %1" : "+r"(index) : "r"(flight_slot_mask));
	return &r->slots[index];
}

UW_INLINE u64 flight_len(void)
{
	return flight_slot_mask + 1;
}

UW_INLINE u64 flight_now(void)
{
	return bpf_ktime_get_ns();
}

UW_INLINE void flight_store(u64 *at, u64 value)
{
	*(volatile u64 *)at = value;
}
