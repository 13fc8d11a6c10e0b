/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The processes of this PID namespace: names, kinds and CPU use. */

#include "ids.h"

#define PROC_NAME_LEN 128

/* Names of a process. The process chooses them: escape before printing. */
struct proc_names {
	char name[PROC_NAME_LEN]; /* for people: the script or assembly, else the executable */
	char exe[PROC_NAME_LEN]; /* file name of the executable, "" when it can't be read */
	bool is_kernel; /* a kernel thread */
};

/**
 * procs_list() - pids of all processes
 * @pids:	added to
 *
 * Return: 0 or a negative errno.
 */
int procs_list(struct ids *pids);

/**
 * proc_names_read() - what a process is called
 *
 * Return: 0, -ESRCH when it is gone, or another negative errno.
 */
int proc_names_read(int pid, struct proc_names *names);

/* Is it this executable, script or assembly ("app" or "app.dll")? */
bool proc_names_match(const struct proc_names *names, const char *wanted);

enum proc_kind {
	PROC_GONE, /* no such id */
	PROC_UNREADABLE,
	PROC_IS_PROCESS,
	PROC_IS_THREAD, /* of another process, @leader */
	PROC_IS_ZOMBIE, /* has ended */
};

enum proc_kind proc_kind_of(int id, int *leader);

/* Does it execute a program of 32 bits? False where that can't be read. */
bool proc_is_32_bit(int pid);

/* CPU time of all its threads so far, in ns. Needs no right. 0 or -ESRCH. */
int proc_cpu_ns(int pid, u64 *ns);

struct proc_load {
	int pid;
	u64 cpu_ns; /* used while it was watched */
};

/**
 * procs_measure() - how much CPU processes use just now
 * @pids:	whom; those that end meanwhile are left out
 * @loads:	busiest first, free(); the caller itself is not in it
 * @wall_ns:	how long they were watched
 *
 * Takes 0.3 s.
 *
 * Return: 0 or a negative errno.
 */
int procs_measure(const struct ids *pids, struct proc_load **loads, size_t *n, u64 *wall_ns);
