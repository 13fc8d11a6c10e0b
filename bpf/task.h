/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Reads the data of the running task that a sample needs. The structures declare only the
 * members that are used; CO-RE adjusts the members' offsets to the running kernel.
 */

#include "bpf.h"

#include <arch_regs.h>

#define PF_EXITING 0x00000004 /* of include/linux/sched.h, v2.6 to v7.2 */
#define PF_KTHREAD 0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
struct task_struct;
struct rq {
	struct task_struct *idle;
};
struct cfs_rq {
	struct rq *rq;
};
struct sched_entity {
	struct cfs_rq *cfs_rq; /* only with CONFIG_FAIR_GROUP_SCHED */
};
struct rb_node {
	struct rb_node *rb_right, *rb_left;
};
struct rb_root {
	struct rb_node *rb_node;
};
struct maple_tree {
	void *ma_root;
};
struct mm_struct {
	unsigned long start_stack; /* random; fork() keeps the value, execve() changes it */
	unsigned long start_brk;
	struct rb_root mm_rb; /* before v6.1 */
	struct maple_tree mm_mt; /* since v6.1 */
};
struct task_struct {
	struct sched_entity se;
	unsigned int flags;
	void *stack;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct mm_struct *mm;
	struct pid *thread_pid;
	u64 start_time;
	u64 start_boottime;
	u64 parent_exec_id; /* the parent's self_exec_id at the time of the fork */
	u64 self_exec_id;
	unsigned long nivcsw;
	void *vfork_done; /* not NULL in a vfork() child until the parent may continue */
	unsigned int in_execve : 1;
};

struct pt_regs___kernel {
	long any;
};
#pragma clang attribute pop

/*
 * Inode number and nesting level of the recorder's PID namespace; uw_whoami() sets both variables
 * before sampling starts.
 */
u32 uw_pidns_ino;
u32 uw_pidns_level;

UW_INLINE const struct upid *uw_upid(const struct pid *pid, u32 level)
{
	return (const void *)pid + bpf_core_field_offset(struct pid, numbers) +
	       level * bpf_core_type_size(struct upid);
}

/*
 * Returns the task's id in the recorder's PID namespace, or 0 if the task is not in that namespace.
 */
UW_INLINE u32 uw_task_nr(const struct task_struct *task)
{
	const struct pid *pid = BPF_CORE_READ(task, thread_pid);
	const struct upid *upid = uw_upid(pid, uw_pidns_level);

	if (BPF_CORE_READ(pid, level) < uw_pidns_level)
		return 0;
	if (uw_pidns_level && BPF_CORE_READ(upid, ns, ns.inum) != uw_pidns_ino)
		return 0;
	return BPF_CORE_READ(upid, nr);
}

/*
 * Sets the sample's process and thread id. Returns false if the running task is not in the
 * recorder's PID namespace.
 */
UW_INLINE bool uw_task_ids(const struct task_struct *task, struct uw_sample *sample)
{
	u64 ids = bpf_get_current_pid_tgid();

	if (!uw_pidns_level) {
		sample->pid = ids >> 32;
		sample->tid = (u32)ids;
		return true;
	}
	sample->pid = uw_task_nr(BPF_CORE_READ(task, group_leader));
	sample->tid = uw_task_nr(task);
	return sample->pid;
}

/*
 * Do child and parent still execute the program that the parent executed at the fork? Return: true
 * if neither child nor parent has called execve() since the fork.
 */
UW_INLINE bool uw_is_copy(const struct task_struct *child, const struct task_struct *parent)
{
	u64 exec_id = BPF_CORE_READ(child, parent_exec_id);
	u64 stack_addr = BPF_CORE_READ(child, mm, start_stack);

	return stack_addr && BPF_CORE_READ(parent, mm, start_stack) == stack_addr &&
	       BPF_CORE_READ(child, self_exec_id) == exec_id &&
	       BPF_CORE_READ(parent, self_exec_id) == exec_id &&
	       BPF_CORE_READ(child, mm, start_brk) == BPF_CORE_READ(parent, mm, start_brk);
}

/**
 * uw_user_regs() - read the user registers of the running task
 * @user:	set to the user registers
 * @regs:	the registers at the interrupt
 * @in_kernel:	whether kernel code was interrupted; if so, the function reads the user registers
 *		that the kernel saved when it was entered
 */
UW_INLINE void uw_user_regs(struct arch_pt_regs *user, const struct arch_pt_regs *regs,
			    bool in_kernel, bool has_task_pt_regs)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const void *saved;

	if (!in_kernel) {
		*user = *regs;
		return;
	}
	if (has_task_pt_regs)
		saved = (const void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	else
		saved = BPF_CORE_READ(task, stack) + ARCH_THREAD_SIZE -
			bpf_core_type_size(struct pt_regs___kernel);
	if (bpf_probe_read_kernel(user, sizeof(*user), saved))
		__builtin_memset(user, 0, sizeof(*user));
}

/*
 * Is the running task inside execve()? Inside execve(), the task's user stack may already be
 * unmapped although the task's saved user registers still exist.
 */
UW_INLINE bool uw_is_executing(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task();

	return bpf_core_field_exists(task->in_execve) &&
	       BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/*
 * Is the running task a vfork() child in execve() whose parent already uses the stack again? A
 * vfork() child runs on its parent's stack. In execve() the kernel lets the parent continue before
 * it replaces the child's address space (mm_release() of kernel/fork.c, v2.6 to v7.2).
 */
UW_INLINE bool uw_is_parents_stack(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task();

	return !BPF_CORE_READ(task, vfork_done) &&
	       BPF_CORE_READ(task, real_parent, mm) == BPF_CORE_READ(task, mm);
}

/*
 * Returns the idle task of the CPU that @task runs on; NULL if the running kernel's structures do
 * not have it.
 */
UW_INLINE const struct task_struct *uw_idle_task(const struct task_struct *task)
{
	if (!bpf_core_field_exists(task->se.cfs_rq))
		return NULL;
	return BPF_CORE_READ(task, se.cfs_rq, rq, idle);
}
