/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * All processes that a recording cares about, by pid and start time.
 *
 * Contains the processes that processes_get() or processes_scan() added, and all their
 * later descendants. Events of other processes are ignored.
 *
 * A dead process stays for samples that are still in the ring, until processes_reap() or
 * until there are too many dead processes. So several processes can have the same pid, at
 * most one of them alive.
 */

#include "process.h"

#define PROCESSES_MAX_ALIVE 32768
#define PROCESSES_MAX_DEAD 4096

struct processes;

/**
 * processes_new() - an empty table
 * @t:		new object, free with processes_free()
 * @on_free:	called before a process is freed, to end what its priv is; may be NULL
 */
int processes_new(struct processes **t, void (*on_free)(struct process *p, void *data), void *data);
void processes_free(struct processes **t);

/* The process that is alive under this pid as far as is known, or NULL. */
struct process *processes_alive(const struct processes *t, u32 pid);

/**
 * processes_find() - the process that a sample is of
 * @start_ns:	its start since boot
 *
 * Learns the exact start of a process that is only known by its birth.
 *
 * Return: it, dead or alive, or NULL.
 */
struct process *processes_find(struct processes *t, u32 pid, u64 start_ns);

/**
 * processes_get() - the process that is alive under this pid, from /proc if need be
 *
 * Its image may be unread (-EAGAIN of process_load()).
 *
 * Return: 0, -ENOSPC (PROCESSES_MAX_ALIVE), or an error of process_load().
 */
int processes_get(struct processes *t, u32 pid, struct process **p);

/* Every process of /proc; those that vanish meanwhile are left out. 0 or a negative errno. */
int processes_scan(struct processes *t);

/**
 * processes_apply() - let an event happen
 * @p:		the process that it happened to: for a fork the child, NULL when the
 *		event is of no process in the table
 *
 * After PROCESS_LOST call processes_resync(). After PROCESS_EXEC the process is unloaded:
 * process_load() it, if its name or cgroup are wanted.
 *
 * Return: 0, -ENOSPC (a fork that finds no room is not followed), -E2BIG, -ENOMEM.
 */
int processes_apply(struct processes *t, const struct process_event *ev, struct process **p);

/**
 * processes_resync() - make good for events that were lost, from /proc
 *
 * Marks processes without an entry in /proc as dead and reads all others again; a changed
 * image increments n_execs. Children whose fork event was lost are found only if their
 * parents are still in the table.
 */
int processes_resync(struct processes *t);

/* Forgets who died before a time (CLOCK_MONOTONIC). */
void processes_reap(struct processes *t, u64 before_ns);

/* Each process that is alive; @fn must not change the table. */
void processes_each_alive(const struct processes *t, void (*fn)(struct process *p, void *data),
			  void *data);

u32 processes_n_alive(const struct processes *t);
u32 processes_n_dead(const struct processes *t);
u64 processes_n_forgotten(const struct processes *t); /* dead ones, for want of room */
