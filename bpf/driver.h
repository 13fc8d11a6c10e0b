/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The loop around uw_step(), in a form that the verifier of every kernel from 5.10 on accepts: two
 * nested loops of 32 iterations, around global functions with scalar arguments. The verifier checks
 * each of these functions only once, so the functions look up the walk's state themselves.
 *
 * The state is in an array indexed by CPU, because it is too large for a per-CPU map value. One
 * state per CPU suffices, because perf_event programs do not nest (bpf_prog_active).
 */

#include "../core/uw_walk.h"

#include <arch_regs.h>
#include <log_all.h>

#include "files.h"

#define UW_MAX_KERNEL_FRAMES 127 /* default of kernel.perf_event_max_stack */
#define UW_BLOCK 32
_Static_assert(UW_BLOCK *UW_BLOCK == UW_MAX_FRAMES, "two nested loops must reach all frames");

struct uw_slot {
	struct uw_state state;
	u32 n_kernel; /* number of elements of kernel_pcs */
	u32 done; /* enum uw_status with which the walk ended; 0 means that it has not ended */
	u64 kernel_pcs[UW_MAX_KERNEL_FRAMES + 1];
	struct arch_pt_regs user_regs;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader sets this to the number of CPUs */
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

/*
 * Looks for a known file that is mapped at @pc. @pc is the address of the next frame's code, and is
 * in no table of the process. Sets the walk's mapping if there is such a file. Return: 1 if there
 * is such a file, else 0.
 */
__attribute__((noinline)) int uw_look_for_file(u64 pc)
{
	struct uw_slot *s = uw_this_slot();

	if (!s || !uw_find_file(pc, &s->state.map))
		return 0;
	s->state.sample.flags |= UW_SAMPLE_BY_FILE;
	return 1;
}

/* Returns the address by which to look up the next frame's code. */
UW_INLINE u64 uw_next_pc(const struct uw_state *u)
{
	return u->regs.pc - !!(u->next_flags & (UW_FRAME_RA | UW_FRAME_SYSCALL));
}

/*
 * Continues a walk that ended at a pc that is in no table. If a known file contains the pc, lets
 * the caller repeat the step. If the process has no tables, steps by the frame record. This is
 * separate from uw_walk_step(), because a function with the code of both needs too much stack.
 * Return: 1 if the walk continues, else 0.
 */
__attribute__((noinline)) int uw_look_again(u32 i)
{
	struct uw_slot *s = uw_this_slot();
	struct uw_state *u = s ? &s->state : NULL;
	enum uw_status status = UW_OK;
	int is_found;

	if (!s || i < s->n_kernel || s->done != UW_T_UNKNOWN_PC)
		return 0;
	is_found = uw_look_for_file(uw_next_pc(u));
	if (!is_found && u->extent)
		return 0;
	u->sample.fault_addr = 0;
	if (is_found) {
		u->sample.n_frames -= u->is_top;
	} else {
		u->sample.n_frames += !u->is_top;
		status = uw_step_blind(u);
	}
	s->done = status;
	if (status != UW_OK)
		uw_walk_end(u, status);
	return status == UW_OK;
}

/*
 * Ends the walk at once if there is no user stack or if the process runs 32-bit code. For 32-bit
 * code, the sample gets only the leaf frame.
 */
UW_INLINE int uw_no_walk(struct uw_slot *s)
{
	bool is_32_bit = !(s->state.sample.flags & UW_SAMPLE_KTHREAD);

	if (is_32_bit)
		uw_new_frame(&s->state, s->state.regs.pc);
	s->state.sample.status = is_32_bit ? UW_T_32_BIT : UW_END;
	s->done = 1;
	return 1;
}

/* Finds frame @i of the sample. Return: 0 if the walk continues, 1 if it has ended. */
__attribute__((noinline)) int uw_walk_step(u32 i)
{
	struct uw_slot *s = uw_this_slot();
	enum uw_status status;

	if (!s)
		return 1;
	if (i < s->n_kernel)
		return uw_kernel_step(s, i);
	if (s->state.sample.flags & (UW_SAMPLE_KTHREAD | UW_SAMPLE_32_BIT))
		return uw_no_walk(s);
	status = uw_step(&s->state);
	if (status == UW_OK)
		return 0;
	uw_walk_end(&s->state, status);
	s->done = status;
	return 1;
}

__attribute__((noinline)) int uw_block(u32 first)
{
	for (u32 i = 0; i < UW_BLOCK; i++)
		if (uw_walk_step(first + i) && (uw_log_is_all() || !uw_look_again(first + i)))
			return 1;
	return 0;
}

/* Walks from the registers in the slot's state, and sets sample.status. */
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
