/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The writing side of bpf/tables.h, the tables that the walk in the kernel reads.
 * Every update is a store into memory shared with the programs; there are no system
 * calls, so no sample is lost.
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

/* Identifies an image of a process. */
struct tables_key {
	u32 pid;
	u64 start_ns; /* since boot, to UW_TICK_NS */
};

int tables_new(struct tables **t, const struct tables_memory *memory);
void tables_free(struct tables **t);

/**
 * tables_set_target() - add a process to sample
 *
 * Return: 0, or -ENOSPC if the table is full near this pid's hash.
 */
int tables_set_target(struct tables *t, u32 pid);

/**
 * tables_set_mappings() - replace the mappings of a process
 * @key:	the process
 * @maps:	sorted by address, not overlapping
 * @exec_id:	exec_id of the image, or UW_EXEC_UNKNOWN until the first sample
 * @gen:	generation of samples walked with these tables
 *
 * Return: 0 or -ENOSPC (no room; the process then has no tables).
 */
int tables_set_mappings(struct tables *t, const struct tables_key *key,
			const struct uw_mapping *maps, u32 n, u64 exec_id, u32 *gen);

/* Sets the exec_id of the process's mappings, if it has any. */
void tables_set_exec_id(struct tables *t, u32 pid, u64 exec_id);

/* Removes the mappings of a process after an exec; it stays a target. */
void tables_clear_mappings(struct tables *t, u32 pid);

/* Removes a process after its exit. */
void tables_remove(struct tables *t, u32 pid);

/**
 * tables_add_file() - add a file, so that walks can use its rows in processes without tables
 * @file:	a file that contains only native code
 *
 * Replaces an entry with the same number, or another entry if the table is full.
 */
void tables_add_file(struct tables *t, const struct uw_file *file);

/**
 * tables_add_v8() - add a build of V8
 * @idx:	for uw_mapping.info_idx
 *
 * Return: 0 or -ENOSPC.
 */
int tables_add_v8(struct tables *t, const struct v8_info *info, u16 *idx);

/* Return: whether walks search for the awaiters of .NET async methods. */
bool tables_want_awaits(const struct tables *t);

/**
 * tables_add_await() - add an async method, a type or a thread of .NET
 * @e:		replaces an entry with the same @process_key and @key
 *
 * Replaces an older entry if the table is full.
 */
void tables_add_await(struct tables *t, const struct dotnet_await *e);
