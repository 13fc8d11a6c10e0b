/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The loop round the core's step, in the one form that loads on every kernel from
 * 5.10 on: two bounded loops of 32 round global functions of scalars, which the
 * verifier checks once each. They find the walk's state themselves.
 *
 * The state lies in an array indexed by CPU: it is larger than a per-CPU map may
 * hold. perf_event programs do not nest on a CPU (bpf_prog_active).
 */

#include "../core/uw_walk.h"

#include <arch_regs.h>

#define UW_MAX_KERNEL_FRAMES 127 /* kernel.perf_event_max_stack by default */
#define UW_BLOCK 32
_Static_assert(UW_BLOCK *UW_BLOCK == UW_MAX_FRAMES, "two levels make all frames");

struct uw_slot {
	struct uw_state state;
	u32 n_kernel; /* kernel_pcs that are not yet frames of the sample */
	u32 done; /* the walk ended */
	u64 kernel_pcs[UW_MAX_KERNEL_FRAMES + 1];
	struct arch_pt_regs user_regs;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader: number of CPUs */
	__type(key, u32);
	__type(value, struct uw_slot);
} uw_slots SEC(".maps");

UW_INLINE struct uw_slot *uw_this_slot(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&uw_slots, &cpu);
}

UW_INLINE int uw_kernel_step(struct uw_slot *s, u32 i)
{
	struct uw_frame *f =
		uw_new_frame(&s->state, s->kernel_pcs[port_index(i, UW_MAX_KERNEL_FRAMES)]);

	if (!f)
		return 1;
	f->kind = UW_KERNEL;
	f->flags = i ? UW_FRAME_RA : 0;
	s->state.sample.n_kernel++;
	return 0;
}

/* Frame @i of the sample: 0 to go on. */
__attribute__((noinline)) int uw_walk_step(u32 i)
{
	struct uw_slot *s = uw_this_slot();
	enum uw_status status;

	if (!s)
		return 1;
	if (i < s->n_kernel)
		return uw_kernel_step(s, i);
	if (s->state.sample.flags & UW_SAMPLE_KTHREAD) {
		s->state.sample.status = UW_END;
		s->done = 1;
		return 1;
	}
	status = uw_step(&s->state);
	if (status == UW_OK)
		return 0;
	uw_walk_end(&s->state, status);
	s->done = 1;
	return 1;
}

__attribute__((noinline)) int uw_block(u32 first)
{
	for (u32 i = 0; i < UW_BLOCK; i++)
		if (uw_walk_step(first + i))
			return 1;
	return 0;
}

/* Walks the slot's state; sample.status says how it ended. */
UW_INLINE void uw_walk(struct uw_slot *s)
{
	s->done = 0;
	uw_walk_begin(&s->state);
	for (u32 i = 0; i < UW_BLOCK; i++)
		if (uw_block(i * UW_BLOCK))
			break;
	if (!s->done)
		uw_walk_end(&s->state, UW_T_DEPTH);
}
