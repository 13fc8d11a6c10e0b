/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Entries that the recorder itself writes to the flight recorder: about processes, not walks.
 * Only the thread that called flight_log_to() writes; without it these functions do nothing.
 */

#include "../../inspect/flight/fl_names.h"

/* Sets the ring of this thread. NULLs stop logging. All pointers are borrowed. */
struct flight_control;
struct flight_ring;
void flight_log_to(const struct flight_control *control, struct flight_ring *ring, u64 n_slots,
		   struct fl_names *names, u64 n_name_words);

/* A new process, or an exec; @name: any bytes. */
void flight_log_process(u32 pid, const char *name);

/* The mask of recorded events, at the start and after each change. */
void flight_log_mask(u64 mask);

/* A process's name, if it became known after its start. */
void flight_log_name(u32 pid, const char *name);

void flight_log_exit(u32 pid);

/* The runtime of a process, "Node.js 24.21.0". */
void flight_log_runtime(u32 pid, const char *runtime);

/* @n mappings of the process were loaded into the kernel; 0: no room. */
void flight_log_tables(u32 pid, u32 n);

/* Cached memory of the process was invalidated. */
void flight_log_dropped(u32 pid);
