/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Writes the entries of the recorder's own ring. These entries are about processes, not about
 * walks. Only the thread that called flight_log_to() writes entries; when other threads call
 * these functions, nothing happens.
 */

#include "../../inspect/flight/fl_names.h"

/* Sets the ring to which this thread writes. NULLs stop logging. All pointers are borrowed. */
struct flight_control;
struct flight_ring;
void flight_log_to(const struct flight_control *control, struct flight_ring *ring, u64 n_slots,
		   struct fl_names *names, u64 n_name_words);

/* Records a new process or an exec; @name may contain any bytes. */
void flight_log_process(u32 pid, const char *name);

/* Records the mask of recorded events, at the start and after each change. */
void flight_log_mask(u64 mask);

/* Records the name of a process that became known after its start. */
void flight_log_name(u32 pid, const char *name);

void flight_log_exit(u32 pid);

/* Records the runtime of a process, for example "Node.js 24.21.0". */
void flight_log_runtime(u32 pid, const char *runtime);

/* Records that @n mappings of the process were loaded into the kernel; 0: there was no room. */
void flight_log_tables(u32 pid, u32 n);

/* Records that cached memory of the process was invalidated. */
void flight_log_dropped(u32 pid);
