/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Before a walk, decides whether the running thread is a target. A child of a target is also a
 * target. The recorder adds the child to the table when the recorder is notified of the fork; until
 * then, the program recognizes the child by its ancestors.
 */

#include "bpf.h"
#include "task.h"

const volatile struct uw_config uw_config;
u32 uw_tids[UW_MAX_TIDS];

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} uw_cgroup SEC(".maps");

/*
 * Returns the slot of a process in the table, or UW_MAX_PROCESSES if the table has none. The
 * verifier checks this function once.
 */
__attribute__((noinline)) u32 uw_process_search(u32 pid)
{
	u32 hash = uw_process_hash(pid);

	for (u32 i = 0; i < UW_PROC_PROBES; i++) {
		u64 at = port_index(hash + i, UW_MAX_PROCESSES - 1);

		if (uw_processes[at].pid == pid && uw_processes[at].flags & UW_PROC_USED)
			return (u32)at;
	}
	return UW_MAX_PROCESSES;
}

UW_INLINE struct uw_process *uw_find_process(u32 pid)
{
	u32 at = uw_process_search(pid);

	if (at >= UW_MAX_PROCESSES)
		return NULL;
	return &uw_processes[port_index(at, UW_MAX_PROCESSES - 1)];
}

/*
 * A target may have exited, and another process may have its pid, before the recorder removes the
 * target from the table. That process started later.
 */
UW_INLINE bool uw_is_target_process(const struct task_struct *leader, u32 pid)
{
	const struct uw_process *p = uw_find_process(pid);

	return p && p->flags & UW_PROC_TARGET &&
	       BPF_CORE_READ(leader, start_boottime) >> UW_TARGET_TIME_SHIFT <= p->target_time;
}

/* Is one of the nearest @depth ancestors of the running task a target? */
__attribute__((noinline)) int uw_has_target_ancestor(u32 depth)
{
	const struct task_struct *task = (void *)bpf_get_current_task();

	for (u32 i = 0; i < UW_MAX_ANCESTORS && i < depth; i++) {
		u32 pid;

		task = BPF_CORE_READ(task, group_leader, real_parent);
		if (!task)
			return 0;
		task = BPF_CORE_READ(task, group_leader);
		pid = uw_task_nr(task);
		if (pid <= 1)
			return 0;
		if (uw_is_target_process(task, pid))
			return 1;
	}
	return 0;
}

__attribute__((noinline)) int uw_is_target_tid(u32 tid)
{
	for (u32 i = 0; i < UW_MAX_TIDS && i < uw_config.n_tids; i++)
		if (uw_tids[port_index(i, UW_MAX_TIDS - 1)] == tid)
			return 1;
	return 0;
}

/* Is the thread a target of its own, and not another thread that has the tid of a target? */
UW_INLINE bool uw_is_target_thread(const struct task_struct *task, u32 tid)
{
	return uw_is_target_tid(tid) && BPF_CORE_READ(task, start_boottime) <= uw_config.tids_ns;
}

UW_INLINE bool uw_is_target(const struct task_struct *task, const struct uw_sample *sample)
{
	switch (uw_config.target_mode) {
	case UW_TARGET_ALL:
		return true;
	case UW_TARGET_TIDS:
		return uw_is_target_thread(task, sample->tid);
	case UW_TARGET_CGROUP:
		return bpf_current_task_under_cgroup(&uw_cgroup, 0) == 1;
	default:
		return uw_is_target_process(BPF_CORE_READ(task, group_leader), sample->pid) ||
		       uw_has_target_ancestor(UW_MAX_ANCESTORS);
	}
}
