/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The processes of a recording, found by pid and start time.
 *
 * Contains the processes that processes_get() or processes_scan() added, and all their
 * later descendants. Events of other processes are ignored.
 *
 * A dead process stays in the table, for samples that are still in the ring, until processes_reap()
 * is called or there are too many dead processes. Therefore several processes can have the same
 * pid, but at most one of them is alive.
 */

#include "process.h"

#define PROCESSES_MAX_ALIVE 32768
#define PROCESSES_MAX_DEAD 4096

struct processes;

/**
 * processes_new() - create an empty table
 * @t:		new object, free with processes_free()
 * @on_free:	called before a process is freed, to free its priv; may be NULL
 */
int processes_new(struct processes **t, void (*on_free)(struct process *p, void *data), void *data);
void processes_free(struct processes **t);

/* The process with this pid that has no exit event yet, or NULL. */
struct process *processes_alive(const struct processes *t, u32 pid);

/**
 * processes_find() - find the process of a sample
 * @start_ns:	start of the process since boot
 *
 * If only the birth time of the process was known so far, stores @start_ns as its exact start.
 *
 * Return: the process, dead or alive, or NULL.
 */
struct process *processes_find(struct processes *t, u32 pid, u64 start_ns);

/**
 * processes_get() - get the live process with this pid; if it is not in the table, read it from
 * /proc
 *
 * The image may still be unread (process_load() returned -EAGAIN).
 *
 * Return: 0, -ENOSPC (PROCESSES_MAX_ALIVE processes are alive), or an error of process_load().
 */
int processes_get(struct processes *t, u32 pid, struct process **p);

/* Adds every process in /proc, except those that exit meanwhile. Return: 0 or a negative errno. */
int processes_scan(struct processes *t);

/**
 * processes_apply() - apply an event
 * @p:		receives the process of the event, which is the child for a fork; NULL if it is not
 *		in the table
 *
 * After PROCESS_LOST call processes_resync(). After PROCESS_EXEC, the data from /proc is invalid,
 * so call process_load() if the name or cgroup is needed.
 *
 * Return: 0, -ENOSPC (no room for the child of a fork; it is ignored), -E2BIG, -ENOMEM.
 */
int processes_apply(struct processes *t, const struct process_event *ev, struct process **p);

/**
 * processes_resync() - recover from lost events by reading /proc
 *
 * Marks processes without an entry in /proc as dead and reads all others again; if the image of a
 * process has changed, its n_execs is incremented. Children whose fork event was lost are found
 * only if their parents are still in the table.
 */
int processes_resync(struct processes *t);

/* Removes a process from the table and frees it. */
void processes_forget(struct processes *t, struct process *p);

/* Frees processes that exited before a time (CLOCK_MONOTONIC). */
void processes_reap(struct processes *t, u64 before_ns);

/* Calls @fn for each live process; @fn must not change the table. */
void processes_each_alive(const struct processes *t, void (*fn)(struct process *p, void *data),
			  void *data);

u32 processes_n_alive(const struct processes *t);
u32 processes_n_dead(const struct processes *t);
u64 processes_n_forgotten(const struct processes *t); /* dead processes freed for lack of room */
