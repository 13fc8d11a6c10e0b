// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

/*
 * The kernel side of a small profiler on Unspool's core. This program checks the process of a
 * sample, takes the registers, walks the stack and sends the result. driver.h has the walk and its
 * tables (uw_mappings, uw_slots, ...); the include path selects the <port_impl.h> of bpf/port.
 */

#include <unspool/bpf/driver.h>
#include <unspool/bpf/task.h>

u32 target; /* process id, in the initial PID namespace */
u64 extent; /* the target's part of uw_mappings: first << 32 | number */
u64 va_mask;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} samples SEC(".maps");

SEC("perf_event")
int on_sample(struct arch_pt_regs *ctx) /* the start of struct bpf_perf_event_data */
{
	struct uw_slot *s = uw_this_slot();
	struct uw_sample *sample;
	u64 n;

	if (!s || !target || bpf_get_current_pid_tgid() >> 32 != target)
		return 0;
	uw_user_regs(&s->user_regs, ctx, arch_is_kernel_pc(arch_pc(ctx)), true);
	arch_take_regs(&s->state, &s->user_regs);
	s->n_kernel = 0;
	s->state.va_mask = va_mask;
	s->state.extent = extent;
	s->state.has_tables = true;
	sample = &s->state.sample;
	sample->flags = 0;
	sample->n_frames = 0;
	sample->n_kernel = 0;
	uw_walk(s);
	n = sample->n_frames;
	asm volatile("" : "+r"(n)); /* keeps clang from moving the check of n away from its use */
	if (n <= UW_MAX_FRAMES)
		bpf_ringbuf_output(&samples, sample,
				   offsetof(struct uw_sample, frames) + n * sizeof(struct uw_frame),
				   0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
