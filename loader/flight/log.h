/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What the recording itself says to the flight recorder: of processes, not of walks. For
 * the thread that owns the rings; where none has them, nothing happens.
 */

#include "../../inspect/flight/fl_names.h"

/* From now on this thread records here; NULLs: no longer. All borrowed. */
struct flight_control;
struct flight_ring;
void flight_log_to(const struct flight_control *control, struct flight_ring *ring, u64 n_slots,
		   struct fl_names *names, u64 n_name_words);

/* A process was seen first, or executes something else; @name: any bytes. */
void flight_log_process(u32 pid, const char *name);

/* What is recorded, since the recording began or somebody changed it. */
void flight_log_mask(u64 mask);

/* The newest name of a process, when it becomes known later. */
void flight_log_name(u32 pid, const char *name);

void flight_log_exit(u32 pid);

/* "Node.js 24.21.0" was found in it. */
void flight_log_runtime(u32 pid, const char *runtime);

/* The kernel side was told @n mappings of it; 0: there was no room. */
void flight_log_tables(u32 pid, u32 n);

/* What was kept of its memory is no longer to be believed. */
void flight_log_dropped(u32 pid);
