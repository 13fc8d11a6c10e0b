/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The tables that user space writes and the walk reads. They are plain arrays in .bss, which
 * libbpf maps into the loader (BPF_F_MMAPABLE), so user space fills the arrays by stores. A bpf()
 * call for each change would cost samples, because the kernel skips perf_event programs on a
 * CPU that is inside bpf().
 *
 * Processes are in an open-addressing hash table by pid: an entry is within UW_PROC_PROBES
 * slots of its hash. So are the pages of unwind rows, by module and page. The rows themselves
 * are in a pool (map uw_rows), whose size the loader sets.
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
#define UW_COST_ENTRIES 512 /* entries that uw_flight_cost() writes */

enum uw_target_mode { UW_TARGET_ALL, UW_TARGET_PIDS, UW_TARGET_TIDS, UW_TARGET_CGROUP };

/* Set before the programs are loaded. */
struct uw_config {
	u64 va_mask; /* see struct uw_state */
	u64 period_ns; /* sampling period; 0 if it is not a time */
	u32 target_mode; /* enum uw_target_mode */
	u32 n_tids;
	u32 page_shift;
	bool has_task_pt_regs; /* bpf_task_pt_regs() exists (v5.15) */
};

/* Counters of a CPU. Each run of the program is counted in exactly one field from idle to sent. */
struct uw_counters {
	u64 runs;
	u64 idle; /* the idle task was running */
	u64 exiting; /* the thread is exiting, so its memory is being freed */
	u64 foreign; /* the process is outside the recorder's PID namespace */
	u64 unwanted; /* the process is not a target */
	u64 no_room; /* the ring buffer was full: samples lost */
	u64 sent;
	u64 missed; /* periods without a run on a busy CPU: samples lost */
	u64 last_ns; /* time of the last run */
	u64 last_idle; /* how often the CPU had left its idle task at last_ns */
	u64 idle_task; /* kernel address of the CPU's idle task, 0: unknown so far */
	u64 pad[5];
};
_Static_assert(sizeof(struct uw_counters) == 128, "own cache lines for each CPU");
_Static_assert(offsetof(struct uw_counters, pad) == 88, "wire");

/* An element of the pool of rows. Kernel array elements have at least 8 bytes. */
struct uw_row_pair {
	u32 row[2];
};
_Static_assert(sizeof(struct uw_row_pair) == 8, "wire");

/* A unique number of a process image, made from start time, 22 bits of the pid, and exec id. */
UW_INLINE u64 uw_image_number(u32 pid, u64 start_ns, u64 exec_id)
{
	return (start_ns / UW_TICK_NS << 22 | pid) ^ exec_id << 54;
}

/*
 * A file whose code is all native. Its entry is within UW_FILE_PROBES slots of the file's hash;
 * module is 0 while the entry is being written.
 */
struct uw_file {
	u64 inode;
	u64 size;
	u64 changed_ns; /* modification time, since 1970 */
	u32 dev; /* device, as in the kernel: major << 20 | minor */
	u32 module; /* as in struct uw_mapping; 0: the entry is free */
};
_Static_assert(sizeof(struct uw_file) == 32, "wire");
_Static_assert(offsetof(struct uw_file, module) == 28, "wire");

/* First slot of the search for a process. */
UW_INLINE u32 uw_process_hash(u32 pid)
{
	return (pid * 2654435761u >> 16) & (UW_MAX_PROCESSES - 1);
}

/* First slot of the search for an await entry. */
UW_INLINE u32 uw_await_hash(u64 of, u64 key)
{
	return (u32)(((of ^ key) * 0x9e3779b97f4a7c15ull) >> 40) & (UW_MAX_AWAITS - 1);
}

/* First slot of the search for a file. */
UW_INLINE u32 uw_file_hash(u32 dev, u64 inode)
{
	u32 mixed = ((u32)(inode >> 32) ^ dev) * 2654435761u ^ (u32)inode;

	return (mixed * 2246822519u >> 15) & (UW_MAX_FILES - 1);
}

/* First slot of the search for a page of rows. */
UW_INLINE u32 uw_row_page_hash(u32 module, u32 page)
{
	return ((module * 2654435761u ^ page) * 2246822519u >> 15) & (UW_MAX_ROW_PAGES - 1);
}
