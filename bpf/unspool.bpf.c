// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

/*
 * The production program, which the kernel runs once for each sampling period on each CPU.
 *
 *	perf event -> target? -> user registers -> walk -> ring buffer
 *
 * Each run increments exactly one of several counters, so that lost samples can be distinguished
 * from unwanted samples. One object loads on every kernel from 5.10 on, for two reasons. The
 * counters are per CPU, so they need no atomic operations, which older kernels lack. Constants of
 * uw_config disable the calls of helpers that an older kernel lacks.
 *
 * If built with bpf/port-capture, the program sends a log of the walk's reads with each sample
 * (log.h). If it also has a flight recorder, it sends only the logs of samples that froze a ring.
 */

#include "bpf.h"
#include "driver.h"
#include "target.h"
#include "task.h"

#include <log_impl.h>

#define UW_MAX_YOUTH_NS 1000000000 /* an older process is already in the recorder's tables */

struct uw_counters uw_counters[UW_MAX_CPUS];

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22); /* the loader sets this, depending on the number of CPUs */
} uw_ring SEC(".maps");

/*
 * The context of a perf_event program, struct bpf_perf_event_data, declared with the core's types.
 */
struct uw_perf_event {
	struct arch_pt_regs regs;
	u64 sample_period;
	u64 addr;
};

/*
 * Returns the tables of a process if they are valid for the program that the process executes, else
 * NULL.
 */
UW_INLINE struct uw_process *uw_tables_of(u32 pid, u64 start_ns, u64 exec_id)
{
	struct uw_process *p = uw_find_process(pid);

	if (!p || !(p->flags & UW_PROC_TABLES) || p->gen & 1)
		return NULL;
	if (p->start_ns / UW_TICK_NS != start_ns / UW_TICK_NS)
		return NULL;
	if (p->exec_id == UW_EXEC_UNKNOWN)
		p->exec_id = exec_id;
	return p->exec_id == exec_id ? p : NULL;
}

/*
 * Returns the tables of the parent if the running task is a new child, else NULL. A new child has
 * no tables yet, and may exit before user space makes tables for the child. The parent's tables do
 * not have the mappings that the child has made since the fork.
 */
UW_INLINE struct uw_process *uw_parent_tables(const struct uw_sample *sample)
{
	const struct task_struct *task = (void *)bpf_get_current_task(), *parent;

	task = BPF_CORE_READ(task, group_leader);
	if (sample->time_ns - BPF_CORE_READ(task, start_time) > UW_MAX_YOUTH_NS)
		return NULL;
	parent = BPF_CORE_READ(task, real_parent, group_leader);
	if (!parent || !uw_is_copy(task, parent))
		return NULL;
	return uw_tables_of(uw_task_nr(parent), BPF_CORE_READ(parent, start_boottime),
			    BPF_CORE_READ(parent, self_exec_id));
}

UW_INLINE struct uw_process *uw_use_tables(struct uw_state *u)
{
	const struct uw_sample *sample = &u->sample;
	struct uw_process *p = uw_tables_of(sample->pid, sample->start_ns, sample->exec_id);

	if (!p)
		p = uw_parent_tables(sample);
	u->has_tables = p || !uw_log_is_all(); /* the extent may be empty; see uw_look_again() */
	u->sample.proc_gen = p ? p->gen : 0;
	u->extent = p ? p->extent : 0;
	u->process_key = p && !uw_log_is_all() ? uw_image_number(p->pid, p->start_ns, p->exec_id)
					       : 0;
	return p;
}

/*
 * Is the thread in a system call? If so, the walk looks up the system call instruction itself,
 * because the code after that instruction may be another function. The registers do not suffice to
 * answer this, because after delivery of a signal all registers but pc are as in the interrupted
 * system call. So the instruction before pc must also be a system call.
 */
UW_INLINE bool uw_is_in_syscall(const struct arch_pt_regs *user)
{
	u32 insn = 0;

	return !arch_returns_zero(user) &&
	       !bpf_probe_read_user(&insn, ARCH_SYSCALL_LEN,
				    (void *)(arch_pc(user) - ARCH_SYSCALL_LEN)) &&
	       insn == ARCH_SYSCALL;
}

UW_INLINE void uw_fill_header(struct uw_sample *sample, const struct task_struct *task, u64 now_ns)
{
	const struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	sample->time_ns = now_ns;
	sample->cpu = bpf_get_smp_processor_id();
	sample->start_ns = BPF_CORE_READ(leader, start_boottime);
	sample->exec_id = BPF_CORE_READ(leader, self_exec_id);
	sample->n_frames = 0;
	sample->n_kernel = 0;
	sample->flags = 0;
}

/* Sets the walk's inputs: registers, kernel stack and tables. */
UW_INLINE struct uw_process *uw_prepare(struct uw_slot *s, struct uw_perf_event *ctx,
					u32 task_flags)
{
	bool in_kernel = arch_is_kernel_pc(arch_pc(&ctx->regs));
	struct uw_sample *sample = &s->state.sample;
	bool is_readable;
	long len;

	s->n_kernel = 0;
	if (in_kernel) {
		sample->flags |= UW_SAMPLE_IN_KERNEL;
		len = bpf_get_stack(ctx, s->kernel_pcs, UW_MAX_KERNEL_FRAMES * 8, 0);
		s->n_kernel = len > 0 ? (u32)len / 8 : 0;
	}
	uw_user_regs(&s->user_regs, &ctx->regs, in_kernel, uw_config.has_task_pt_regs);
	arch_take_regs(&s->state, &s->user_regs);
	if (in_kernel && uw_is_in_syscall(&s->user_regs))
		sample->flags |= UW_SAMPLE_IN_SYSCALL;
	if (task_flags & PF_KTHREAD || !s->state.regs.pc)
		sample->flags |= UW_SAMPLE_KTHREAD;
	else if (arch_is_32_bit(&s->user_regs))
		sample->flags |= UW_SAMPLE_32_BIT;
	sample->pc = s->state.regs.pc;
	sample->sp = s->state.regs.sp;
	sample->fp = s->state.regs.fp;
	sample->lr = s->state.regs.lr;
	s->state.va_mask = uw_config.va_mask;
	is_readable = !bpf_probe_read_user(sample->sp_words, sizeof(sample->sp_words),
					   (void *)sample->sp);
	if (in_kernel && uw_is_executing() && (!is_readable || uw_is_parents_stack()))
		sample->flags |= UW_SAMPLE_KTHREAD;
	return uw_use_tables(&s->state);
}

UW_INLINE void uw_flight_begin(const struct uw_sample *s)
{
	flight_begin_at(s->time_ns, (u64)s->pid << 32 | s->tid, s->pc, s->sp, s->fp, s->flags);
}

UW_INLINE void uw_send(struct uw_slot *s, struct uw_counters *c)
{
	u64 n = s->state.sample.n_frames;
	u64 len;

	asm volatile("" : "+r"(n));
	if (n > UW_MAX_FRAMES)
		n = UW_MAX_FRAMES;
	len = offsetof(struct uw_sample, frames) + n * sizeof(struct uw_frame);
	if (!uw_log_send(s) ||
	    bpf_ringbuf_output(&uw_ring, &s->state.sample, len, BPF_RB_NO_WAKEUP))
		c->no_room++;
	else
		c->sent++;
}

/*
 * Counts the sampling periods, since the program's last run, in which the program was skipped. The
 * kernel skips the program while the CPU executes bpf(), and a hypervisor can stop a virtual CPU.
 * The timer of an idle CPU may also stop, but that loses no samples.
 *
 * The timer expires at multiples of the period, and a run is late by up to a period, so the time
 * since the last run is no measure of the periods in between:
 *
 *	expiry    |         |         |         |
 *	run       |         |      |  |         |       no period was missed
 *
 * Therefore last_ns is the expiry that the last run belongs to. The earliest run shows the phase of
 * the timer: if a run is early, the expiries were taken to be too late.
 */
UW_INLINE void uw_count_missed(struct uw_counters *c, const struct task_struct *task, u64 now_ns)
{
	u64 period = uw_config.period_ns, gap = now_ns - c->last_ns;
	const struct task_struct *idle = (void *)c->idle_task;
	bool was_busy = false;
	u64 switches;

	if (!idle)
		idle = uw_idle_task(task);
	switches = BPF_CORE_READ(idle, nivcsw);
	if (period && c->last_ns && gap >= period)
		was_busy = c->last_idle == switches;
	if (was_busy)
		c->missed += gap / period - 1;
	c->last_ns = was_busy ? now_ns - gap % period : now_ns;
	c->last_idle = switches;
	c->idle_task = (u64)idle;
}

SEC("perf_event")
int uw_on_sample(struct uw_perf_event *ctx)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct uw_counters *c = &uw_counters[port_index(cpu, UW_MAX_CPUS - 1)];
	const struct task_struct *task = (void *)bpf_get_current_task();
	u32 task_flags = BPF_CORE_READ(task, flags);
	struct uw_slot *s = uw_this_slot();
	u64 now_ns = bpf_ktime_get_ns();
	struct uw_process *p;

	c->runs++;
	uw_count_missed(c, task, now_ns);
	if (!(bpf_get_current_pid_tgid() >> 32) || !s) {
		c->idle++;
		return 0;
	}
	if (task_flags & PF_EXITING) {
		c->exiting++;
		return 0;
	}
	if (!uw_task_ids(task, &s->state.sample)) {
		c->foreign++;
		return 0;
	}
	if (!uw_is_target(task, &s->state.sample)) {
		c->unwanted++;
		return 0;
	}
	uw_fill_header(&s->state.sample, task, now_ns);
	p = uw_prepare(s, ctx, task_flags);
	uw_log_begin(s);
	uw_flight_begin(&s->state.sample);
	uw_walk(s);
	if (p && *(volatile u32 *)&p->gen != s->state.sample.proc_gen)
		s->state.sample.status = UW_T_STALE_TABLES;
	if (p && p->pid != s->state.sample.pid)
		s->state.sample.proc_gen = 0; /* the generation is that of the parent's tables */
	flight_walk_end(&s->state.sample);
	uw_send(s, c);
	return 0;
}

/* The loader runs this program once through BPF_PROG_TEST_RUN to get its own PID namespace. */
SEC("raw_tp")
int uw_whoami(void *ctx)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct pid *pid = BPF_CORE_READ(task, thread_pid);

	uw_pidns_level = BPF_CORE_READ(pid, level);
	uw_pidns_ino = BPF_CORE_READ(uw_upid(pid, uw_pidns_level), ns, ns.inum);
	return 0;
}

/*
 * The inner loop of uw_flight_cost(). This is a separate function, so that the verifier checks it
 * only once.
 */
__attribute__((noinline)) int uw_flight_cost_block(u32 walk)
{
	for (u32 i = 0; i < UW_BLOCK; i++) {
		u64 d[] = { walk, i, walk + i, 0, ~0ull };

		flight_log(FLIGHT_STEP, FLIGHT_START, i, d, 5);
	}
	return 0;
}

/*
 * Measures how long writing UW_COST_ENTRIES entries of the flight recorder takes on this machine,
 * and returns that time in ns. The loader runs this program before sampling. The entries stay in
 * the ring of the CPU.
 */
SEC("raw_tp")
int uw_flight_cost(void *ctx)
{
	u64 since_ns = bpf_ktime_get_ns();

	for (u32 i = 0; i < UW_COST_ENTRIES / UW_BLOCK; i++)
		uw_flight_cost_block(i);
	return (int)(bpf_ktime_get_ns() - since_ns);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
