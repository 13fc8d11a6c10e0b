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
 * tables_set_target() - enter a process whose samples are wanted
 *
 * Return: 0, or -ENOSPC when the table is full round this pid.
 */
int tables_set_target(struct tables *t, u32 pid);

/**
 * tables_set_mappings() - replace the mappings of a process
 * @key:	the process
 * @maps:	sorted by address, not overlapping
 * @exec_id:	of the image, or UW_EXEC_UNKNOWN until the first sample
 * @gen:	generation that samples walked with these tables carry
 *
 * Return: 0 or -ENOSPC (no room: the process has no tables then).
 */
int tables_set_mappings(struct tables *t, const struct tables_key *key,
			const struct uw_mapping *maps, u32 n, u64 exec_id, u32 *gen);

/* Sets the exec_id of the process's mappings, if it has any. */
void tables_set_exec_id(struct tables *t, u32 pid, u64 exec_id);

/* Forget the mappings; a target stays one (exec). */
void tables_clear_mappings(struct tables *t, u32 pid);

/* Forget the process (exit). */
void tables_remove(struct tables *t, u32 pid);

/**
 * tables_add_file() - enter a file: processes that map it are walked in it before they have tables
 * @file:	its code is native, all of it
 *
 * One that was there under the same number is replaced; where there is no room, another one is.
 */
void tables_add_file(struct tables *t, const struct uw_file *file);

/**
 * tables_add_v8() - enter a build of V8
 * @idx:	for uw_mapping.info_idx
 *
 * Return: 0 or -ENOSPC.
 */
int tables_add_v8(struct tables *t, const struct v8_info *info, u16 *idx);

/* Whether walks look for the awaiters of .NET async methods. */
bool tables_want_awaits(const struct tables *t);

/**
 * tables_add_await() - enter an async method, a type or a thread of .NET
 * @e:		replaces an entry with the same @process_key and @key
 *
 * Replaces an older entry if the table is full.
 */
void tables_add_await(struct tables *t, const struct dotnet_await *e);
