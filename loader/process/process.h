/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One process of the machine: what /proc told about it and what happened since.
 *
 * Two sources, one truth. process_load() reads /proc, which is the newest; events
 * that are older than that are in it already. What never could be read, because the
 * process was too short-lived, is known from its parent and from events: comm,
 * executable, mappings; not its cgroup or script.
 */

#include "../../core/types.h"
#include "process_event.h"
#include "mappings.h"

#define PROCESS_MAX_THREADS 32768 /* that are kept by name; more are counted */
#define PROCESS_TICK_NS 10000000ull /* resolution of the start time in /proc/PID/stat */

struct thread {
	u32 tid;
	char name[PROCESS_COMM_LEN]; /* "": not known yet */
};

struct process {
	u32 pid, nspid, ppid; /* nspid 0: unknown */
	u64 start_ns; /* since boot, rounded down to PROCESS_TICK_NS; 0: unknown */
	/* CLOCK_MONOTONIC; 0: not, or unknown */
	u64 born_ns, exec_ns, exit_ns;
	u64 loaded_ns; /* the image was read from /proc no earlier than this */
	u32 n_execs; /* that were seen */
	bool is_kernel_thread;
	char comm[PROCESS_COMM_LEN];
	char name[64]; /* for people: server.js */
	char *exe; /* NULL: unknown */
	char *cgroup; /* NULL: unknown */
	char container[65]; /* "": none, or unknown */
	struct mappings *maps;
	/* These identify the image across execs; 0: unknown. */
	u64 env_end; /* of its environment, on its stack */
	u64 text_addr, text_end; /* the executable's first mapping */
	struct thread *threads; /* sorted by tid */
	u32 n_threads, cap_threads;
	u32 n_more_threads; /* alive but not kept */
	void *priv; /* the caller's */

	struct process *in_bucket, *older, *newer; /* the table's */
};

/* A process of which only the pid is known; NULL without memory. */
struct process *process_new(u32 pid);
void process_free(struct process **p);

/**
 * process_load() - read everything anew from /proc
 * @p:		process; unchanged after an error, but for -ENOMEM, -EAGAIN and -ESTALE
 *
 * The image is everything that an exec replaces: name, executable, mappings. /proc may
 * show it half made, or an image of whose exec no event has told yet: then only the rest
 * is taken.
 *
 * Return: 0, -ESRCH (it is gone, or the pid is another process's by now), -EAGAIN (an
 * exec, or its end, is under way: the image can be read in a moment), -ESTALE (the image
 * that @p has is no more), -EACCES, -EMFILE, -ENOMEM.
 */
int process_load(struct process *p);

/* The parent of any pid, from /proc. 0 or an error as above. */
int process_read_ppid(u32 pid, u32 *ppid);

/* A thread's name, read from /proc if need be; NULL when it can't be known any more. */
const char *process_thread_name(struct process *p, u32 tid);

/* Threads come and go; both are fine with what is (not) there already. 0 or -ENOMEM. */
int process_add_thread(struct process *p, u32 tid, const char *name);
void process_remove_thread(struct process *p, u32 tid);
struct thread *process_find_thread(const struct process *p, u32 tid);

/* Is the image only known by events, its script's name for example not at all? */
bool process_is_unread(const struct process *p);

/* A new image: nothing of the old one is left but the pid, the start and the cgroup. */
int process_exec(struct process *p, const struct process_event *ev);

/* A new executable mapping. 0, -E2BIG, -EINVAL or -ENOMEM (maps is as it was, and so may be wrong).
 */
int process_mmap(struct process *p, const struct process_event *ev);

/* The child that this process forks. */
int process_fork(struct process *parent, const struct process_event *ev, struct process **child);

/* Whether a start time (since boot) can be this process's. */
bool process_started_at(const struct process *p, u64 start_ns);
