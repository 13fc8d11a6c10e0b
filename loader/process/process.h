/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One process of the machine, as /proc and later events describe it.
 *
 * process_load() reads /proc, whose state is newer than all events read so far and already includes
 * their effects. If a process exits before /proc is read, its comm, executable and mappings are
 * still known, from its parent and from events, but its cgroup and script are unknown.
 */

#include "../../core/types.h"
#include "process_event.h"
#include "mappings.h"

#define PROCESS_MAX_THREADS 32768 /* stored threads; further threads are only counted */
#define PROCESS_TICK_NS 10000000ull /* resolution of the start time in /proc/PID/stat */

struct thread {
	u32 tid;
	char name[PROCESS_COMM_LEN]; /* "": not known yet */
};

struct process {
	u32 pid, nspid, ppid; /* nspid 0: unknown */
	u64 start_ns; /* start time since boot, rounded down to PROCESS_TICK_NS; 0: unknown */
	/* CLOCK_MONOTONIC times; 0: the event did not happen, or its time is unknown */
	u64 born_ns, exec_ns, exit_ns;
	u64 loaded_ns; /* time just before the image was read from /proc */
	u32 n_execs; /* exec events seen */
	bool is_kernel_thread;
	char comm[PROCESS_COMM_LEN];
	char name[64]; /* display name, such as server.js */
	char *exe; /* NULL: unknown */
	char *cgroup; /* NULL: unknown */
	char container[65]; /* "": none, or unknown */
	struct mappings *maps;
	/* These members distinguish the images before and after an exec; 0: unknown. */
	u64 env_end; /* address of the end of the environment, which is on the stack */
	u64 text_addr, text_end; /* the executable's first mapping */
	struct thread *threads; /* sorted by tid */
	u32 n_threads, cap_threads;
	u32 n_more_threads; /* live threads that are not in the member threads */
	void *priv; /* for the caller's use */

	struct process *in_bucket, *older, *newer; /* links of the table of processes */
};

/* Return: a process with only its pid set; NULL if out of memory. */
struct process *process_new(u32 pid);
void process_free(struct process **p);

/**
 * process_load() - read all data of a process from /proc, even if the data was read before
 * @p:		process; unchanged after an error other than -ENOMEM, -EAGAIN and -ESTALE
 *
 * The image is everything that an exec replaces: name, executable, mappings. If /proc shows an
 * incomplete image, or an image whose exec event has not been read yet, all fields that belong to
 * the image stay unchanged, and only the others are updated.
 *
 * Return: 0, -ESRCH (the process has exited, or another process has its pid), -EAGAIN (an
 * exec or exit is in progress; try again soon), -ESTALE (the process no longer has the image
 * in @p), -EACCES, -EMFILE, -ENOMEM.
 */
int process_load(struct process *p);

/* Reads the parent of any pid from /proc. Return: 0 or an error of process_load(). */
int process_read_ppid(u32 pid, u32 *ppid);

/*
 * Returns a thread's name, which is read from /proc if necessary; NULL if it can no longer be read.
 */
const char *process_thread_name(struct process *p, u32 tid);

/*
 * It is no error to add a thread that is present or to remove a thread that is absent. Return: 0 or
 * -ENOMEM.
 */
int process_add_thread(struct process *p, u32 tid, const char *name);
void process_remove_thread(struct process *p, u32 tid);
struct thread *process_find_thread(const struct process *p, u32 tid);

/*
 * Return: whether the image is known only from events and not from /proc, so that the script is
 * unknown.
 */
bool process_is_unread(const struct process *p);

/* Applies an exec: only the pid, the start time and the cgroup are kept. */
int process_exec(struct process *p, const struct process_event *ev);

/*
 * Adds an executable mapping. Return: 0, -E2BIG, -EINVAL or -ENOMEM (maps is unchanged, so it may
 * be wrong).
 */
int process_mmap(struct process *p, const struct process_event *ev);

/* Creates the child of a fork of @parent. */
int process_fork(struct process *parent, const struct process_event *ev, struct process **child);

/*
 * Return: a time (CLOCK_BOOTTIME) by which the process has started, and before which no later
 * process with the same pid can start; with a start time from /proc, 10 ms after it.
 */
u64 process_started_by(const struct process *p);

/* Return: whether the process may have started at @start_ns (since boot). */
bool process_started_at(const struct process *p, u64 start_ns);
