/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Facts from /proc, /sys and the trials. The facts are read only once; checks.c evaluates them. */

#include "../../core/types.h"

#define FACT_UNKNOWN (-99) /* value of an unreadable setting */
#define FACT_UNLIMITED (~0ull)

/* The kernel's data structure for the mappings of a process; see bpf/files.h. */
enum doctor_tree { DOCTOR_TREE_UNKNOWN, DOCTOR_TREE_MAPLE, DOCTOR_TREE_RED_BLACK };

struct doctor_facts {
	char release[65];
	int kernel_major, kernel_minor;
	u64 caps; /* effective */
	int euid;
	int seccomp; /* seccomp mode: 0 none, 1 strict, 2 filter; FACT_UNKNOWN */
	bool is_initial_user_ns, is_initial_pid_ns;
	int perf_event_paranoid, kptr_restrict, unprivileged_bpf_disabled, ptrace_scope, bpf_jit;
	char lockdown[32]; /* "" if the kernel has no lockdown */
	bool has_btf, has_kernel_addresses;
	enum doctor_tree mappings_tree;
	bool fences_by_atomic; /* arm64: the flight recorder needs atomics as fences */
	int cgroup_version; /* cgroup version: 2, 1, or 0 if none is mounted */
	u64 memlock_len; /* the limit after an attempt to raise the limit, or FACT_UNLIMITED */
	/* Trials: 0 or a negative errno. */
	int try_program, try_ringbuf, try_mmapable, try_cpu_clock, try_attach, try_cycles;
	int try_atomic, try_task_pt_regs; /* BPF_ADD with BPF_FETCH; helper bpf_task_pt_regs() */
};

void doctor_facts_read(struct doctor_facts *f);

/* Whether this process has a capability of linux/capability.h. */
bool doctor_has_cap(const struct doctor_facts *f, int cap);
bool doctor_kernel_at_least(const struct doctor_facts *f, int major, int minor);

/* Runs the eight trials; the other members of @f must be set. */
void doctor_try(struct doctor_facts *f);
