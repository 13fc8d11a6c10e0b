// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

/*
 * The conformance program: runs the core in the kernel on demand, on the memory of the process that
 * calls BPF_PROG_TEST_RUN. The program's raw_tp entry runs on kernels from 5.10 on. The kernel can
 * run the program's tc entry repeatedly, and then reports the duration of the runs.
 *
 * The result is the sample in uw_slots, which the caller maps. The caller must be pinned to one
 * CPU.
 */

#include "bpf.h"
#include "driver.h"

/* Input of a walk: for raw_tp the program's context, for tc the packet's bytes from 16 on. */
struct uw_start {
	struct uw_regs regs;
	u64 extent; /* the mappings to use, in the format of uw_process.extent */
	u64 va_mask : 56;
	u64 sample_flags : 8; /* enum uw_sample_flags */
};
_Static_assert(sizeof(struct uw_start) <= 12 * 8, "a raw_tp context has at most 12 arguments");

UW_INLINE int uw_run(const struct uw_start *start)
{
	struct uw_slot *s = uw_this_slot();

	if (!s)
		return -1;
	s->state.regs = start->regs;
	s->state.extent = start->extent;
	s->state.va_mask = start->va_mask;
	s->state.has_tables = start->extent != 0;
	s->n_kernel = 0;
	s->state.sample.flags = (u8)start->sample_flags;
	s->state.sample.n_frames = 0;
	s->state.sample.n_kernel = 0;
	s->state.sample.time_ns = bpf_ktime_get_ns();
	flight_begin_at(s->state.sample.time_ns, 0, start->regs.pc, start->regs.sp, start->regs.fp,
			0);
	uw_walk(s);
	flight_walk_end(&s->state.sample);
	return s->state.sample.n_frames;
}

SEC("raw_tp")
int uw_run_raw_tp(struct uw_start *ctx)
{
	struct uw_start start = *ctx;

	return uw_run(&start);
}

SEC("tc")
int uw_run_tc(struct __sk_buff *skb)
{
	struct uw_start start;

	if (bpf_skb_load_bytes(skb, 16, &start, sizeof(start)))
		return -1;
	return uw_run(&start);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
