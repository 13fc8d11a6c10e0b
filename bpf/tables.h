/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The tables that user space writes and the walk reads. The tables are plain arrays in .bss, which
 * libbpf maps into the loader's memory (BPF_F_MMAPABLE), so user space fills the arrays by stores.
 * Calling bpf() for each change would lose samples, because the kernel skips perf_event programs on
 * a CPU that is executing bpf().
 *
 * The processes are in an open-addressing hash table with the pid as the key: an entry is at most
 * UW_PROC_PROBES - 1 slots after the slot of its hash. A similar table has the pages of unwind
 * rows, with module and page as the key. The rows themselves are in a pool (map uw_rows), whose
 * size the loader sets.
 */

#include "../core/dotnet/dotnet_info.h"
#include "../core/native/row.h"
#include "../core/uw_mapping.h"
#include "../core/v8/v8_info.h"

#define UW_MAX_PROCESSES 16384
#define UW_PROC_PROBES 16
#define UW_MAX_MAPPINGS 65536
#define UW_MAX_V8_BUILDS 64
#define UW_MAX_ROW_PAGES 65536
#define UW_ROW_PAGE_PROBES 16
#define UW_MAX_AWAITS 2048
#define UW_AWAIT_PROBES 8
#define UW_MAX_FILES 1024
#define UW_FILE_PROBES 8
#define UW_MAX_CPUS 1024
#define UW_MAX_ANCESTORS 16
#define UW_MAX_TIDS 256
#define UW_COST_ENTRIES 512 /* number of entries that uw_flight_cost() writes */

enum uw_target_mode { UW_TARGET_ALL, UW_TARGET_PIDS, UW_TARGET_TIDS, UW_TARGET_CGROUP };

/* Configuration, which the loader sets before it loads the programs. */
struct uw_config {
	u64 va_mask; /* as in struct uw_state */
	u64 period_ns; /* sampling period; 0 if the period is not in units of time */
	u64 tids_ns; /* the threads in uw_tids have started by then (boot time) */
	u32 target_mode; /* enum uw_target_mode */
	u32 n_tids;
	u32 page_shift;
	bool has_task_pt_regs; /* the kernel has bpf_task_pt_regs() (since v5.15) */
};

/*
 * Counters of a CPU. Each run of the program increments exactly one of the fields from @idle to
 * @sent.
 */
struct uw_counters {
	u64 runs;
	u64 idle; /* the idle task was running */
	u64 exiting; /* the thread is exiting, so its memory is being freed */
	u64 foreign; /* the process is outside the recorder's PID namespace */
	u64 unwanted; /* the process is not a target */
	u64 no_room; /* samples lost because the ring buffer was full */
	u64 sent;
	u64 missed; /* samples lost because the program did not run on a busy CPU */
	u64 last_ns; /* time at which the timer expired for the last run */
	u64 last_idle; /* number of times that the CPU had left its idle task at last_ns */
	u64 idle_task; /* kernel address of the CPU's idle task; 0: not known yet */
	u64 pad[5];
};
_Static_assert(sizeof(struct uw_counters) == 128,
	       "counters of two CPUs must not share a cache line");
_Static_assert(offsetof(struct uw_counters, pad) == 88, "wire");

/*
 * An element of the pool of rows. An element has two rows, because the kernel rounds the size of
 * array elements up to 8 bytes.
 */
struct uw_row_pair {
	u32 row[2];
};
_Static_assert(sizeof(struct uw_row_pair) == 8, "wire");

/*
 * Returns a number that identifies a program image of a process, computed from the start time, 22
 * bits of the pid, and the exec id.
 */
UW_INLINE u64 uw_image_number(u32 pid, u64 start_ns, u64 exec_id)
{
	return (start_ns / UW_TICK_NS << 22 | pid) ^ exec_id << 54;
}

/*
 * The entry of a file that contains only native code. The entry is at most UW_FILE_PROBES - 1 slots
 * after the slot of the file's hash; @module is 0 while user space writes the entry.
 */
struct uw_file {
	u64 inode;
	u64 size;
	u64 changed_ns; /* modification time, since 1970 */
	u32 dev; /* device in the kernel's format: major << 20 | minor */
	u32 module; /* module id, as in struct uw_mapping; 0 means that the entry is free */
};
_Static_assert(sizeof(struct uw_file) == 32, "wire");
_Static_assert(offsetof(struct uw_file, module) == 28, "wire");

/* Returns the slot at which the search for a process starts. */
UW_INLINE u32 uw_process_hash(u32 pid)
{
	return (pid * 2654435761u >> 16) & (UW_MAX_PROCESSES - 1);
}

/* Returns the slot at which the search for an await entry starts. */
UW_INLINE u32 uw_await_hash(u64 of, u64 key)
{
	return (u32)(((of ^ key) * 0x9e3779b97f4a7c15ull) >> 40) & (UW_MAX_AWAITS - 1);
}

/* Returns the slot at which the search for a file starts. */
UW_INLINE u32 uw_file_hash(u32 dev, u64 inode)
{
	u32 mixed = ((u32)(inode >> 32) ^ dev) * 2654435761u ^ (u32)inode;

	return (mixed * 2246822519u >> 15) & (UW_MAX_FILES - 1);
}

/* Returns the slot at which the search for a page of rows starts. */
UW_INLINE u32 uw_row_page_hash(u32 module, u32 page)
{
	return ((module * 2654435761u ^ page) * 2246822519u >> 15) & (UW_MAX_ROW_PAGES - 1);
}
