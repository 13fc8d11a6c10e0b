/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The processes of this PID namespace: names, kinds and CPU use. */

#include "ids.h"

#define PROC_NAME_LEN 128

#define PROC_SCRIPT_LEN 1024

/* Names of a process. The process chooses its names, so escape them before printing. */
struct proc_names {
	char name[PROC_NAME_LEN]; /* display name: script or assembly, or else executable */
	char exe[PROC_NAME_LEN]; /* file name of the executable, "" if unreadable */
	char script[PROC_SCRIPT_LEN]; /* path of the script or assembly as typed, or "" */
	int ppid; /* its parent; 0: none in this PID namespace */
	bool is_kernel; /* a kernel thread */
};

/**
 * procs_list() - list the pids of all processes
 * @pids:	pids are added to this list
 *
 * Return: 0 or a negative errno.
 */
int procs_list(struct ids *pids);

/**
 * proc_names_read() - read the names of a process
 *
 * Return: 0, -ESRCH if it has exited, or another negative errno.
 */
int proc_names_read(int pid, struct proc_names *names);

enum proc_match { PROC_MATCH_NONE, PROC_MATCH_PART, PROC_MATCH_WHOLE };

/*
 * Compares @wanted with its executable, script, assembly ("app" or "app.dll") and, unless it is
 * NULL, the npm package of its script.
 */
enum proc_match proc_names_match(const struct proc_names *names, const char *package,
				 const char *wanted);

enum proc_kind {
	PROC_GONE, /* no such id */
	PROC_UNREADABLE,
	PROC_IS_PROCESS,
	PROC_IS_THREAD, /* thread of process @leader */
	PROC_IS_ZOMBIE, /* has exited */
};

enum proc_kind proc_kind_of(int id, int *leader);

/* Return: whether the process executes a 32-bit program; false if this can't be read. */
bool proc_is_32_bit(int pid);

/* Return: whether the process has written /tmp/perf-PID.map, as its own PID namespace names it. */
bool proc_has_perf_map(int pid);

/* Reads the CPU time of all threads of a process. Needs no privileges. Return: 0 or -ESRCH. */
int proc_cpu_ns(int pid, u64 *ns);

struct proc_load {
	int pid;
	u64 cpu_ns; /* CPU time used during the measurement */
};

/**
 * procs_measure() - measure the current CPU use of processes
 * @pids:	the processes to measure; processes that exit meanwhile are skipped
 * @loads:	receives the processes, busiest first, without the caller; free with free()
 * @wall_ns:	duration of the measurement
 *
 * Takes 0.3 s.
 *
 * Return: 0 or a negative errno.
 */
int procs_measure(const struct ids *pids, struct proc_load **loads, size_t *n, u64 *wall_ns);
