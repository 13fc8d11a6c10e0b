/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The writing side of bpf/tables.h, the tables that walks in the kernel read. Every update is
 * a store into memory shared with the programs. No update makes a system call, so no sample
 * is lost during an update.
 */

#include <stddef.h>

#include "../../bpf/tables.h"

struct tables;

/* The arrays that the programs read; borrowed. */
struct tables_memory {
	struct uw_process *processes; /* UW_MAX_PROCESSES */
	struct uw_mapping *mappings; /* UW_MAX_MAPPINGS */
	struct v8_info *v8_builds; /* UW_MAX_V8_BUILDS */
	struct uw_file *files; /* UW_MAX_FILES */
	struct dotnet_await *awaits; /* UW_MAX_AWAITS */
	bool wants_awaits; /* --async */
};

/* Identifies an image (one exec) of a process. */
struct tables_key {
	u32 pid;
	u64 start_ns; /* start time since boot, truncated to UW_TICK_NS */
};

int tables_new(struct tables **t, const struct tables_memory *memory);
void tables_free(struct tables **t);

/**
 * tables_set_target() - add a process that is to be sampled
 * @started_by_ns:	the process has started by then (CLOCK_BOOTTIME); a process that starts
 *			later and gets the same pid is not sampled
 *
 * Return: 0, or -ENOSPC if the table is full near the hash of the pid.
 */
int tables_set_target(struct tables *t, u32 pid, u64 started_by_ns);

/**
 * tables_set_mappings() - replace the mappings of a process
 * @key:	the process
 * @maps:	sorted by address, not overlapping
 * @exec_id:	exec_id of the image, or UW_EXEC_UNKNOWN until a sample shows it
 * @gen:	receives the generation of the new tables; each sample that was walked with
 *		them has this generation
 *
 * Return: 0, or -ENOSPC if there is no room; the process then has no tables.
 */
int tables_set_mappings(struct tables *t, const struct tables_key *key,
			const struct uw_mapping *maps, u32 n, u64 exec_id, u32 *gen);

/* Sets the exec_id of the process's mappings, if it has any. */
void tables_set_exec_id(struct tables *t, u32 pid, u64 exec_id);

/* Removes the mappings of a process after an exec; the process stays a target. */
void tables_clear_mappings(struct tables *t, u32 pid);

/* Removes a process after its exit. */
void tables_remove(struct tables *t, u32 pid);

/**
 * tables_add_file() - add a file, so that walks of processes that have no tables yet can use
 * the rows of the file
 * @file:	a file that contains only native code
 *
 * Overwrites the entry that has the same inode number; if there is none and the table is full,
 * overwrites another entry.
 */
void tables_add_file(struct tables *t, const struct uw_file *file);

/**
 * tables_add_v8() - add a build of V8
 * @idx:	receives the index for uw_mapping.info_idx
 *
 * Return: 0 or -ENOSPC.
 */
int tables_add_v8(struct tables *t, const struct v8_info *info, u16 *idx);

/* Return: whether walks search for the awaiters of .NET async methods. */
bool tables_want_awaits(const struct tables *t);

/**
 * tables_add_await() - add an async method, a type or a thread of .NET
 * @e:		the new entry; it replaces one with the same @process_key and @key
 *
 * If the table is full, it replaces an older entry.
 */
void tables_add_await(struct tables *t, const struct dotnet_await *e);
