/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The tables that user space maintains for the walk: an entry for each process, and the
 * process's executable mappings, sorted by address. Wire format. User space writes the
 * tables by plain stores and marks each change in a generation word.
 *
 * To change a process's mappings, the writer makes the generation odd, stores the new
 * mappings elsewhere in the pool, stores process.extent (one word), and makes the
 * generation even again. If the generation is odd, or has changed when the walk ends, the
 * walk returns UW_T_STALE_TABLES.
 */

#include "types.h"

enum uw_map_kind {
	UW_MAP_NATIVE,
	UW_MAP_V8_BUILTINS, /* V8's embedded builtins, mapped from the file or copied into memory */
	UW_MAP_V8_JIT, /* anonymous executable memory of a V8 process */
	UW_MAP_DOTNET_JIT, /* a code heap of CoreCLR; see dotnet/dotnet_info.h */
	UW_MAP_DOTNET_R2R, /* code that CoreCLR compiled ahead of time (ReadyToRun) */
	UW_MAP_DOTNET_STUBS,
	UW_N_MAP_KINDS
};

/*
 * Ports compare addresses by signed differences, so no mapping may reach into the kernel's half of
 * the address space.
 */
#define UW_MAX_MAPPING_END (1ull << 63)

struct uw_mapping {
	u64 start_addr;
	u64 end_addr; /* exclusive */
	u64 file_off; /* offset of start_addr in the module's file */
	u32 module; /* id that user space gave the file; 0: none */
	u8 kind; /* enum uw_map_kind */
	u8 pad;
	u16 info_idx; /* index in the table of runtime infos of this kind */
};
_Static_assert(sizeof(struct uw_mapping) == 32, "wire");
_Static_assert(offsetof(struct uw_mapping, info_idx) == 30, "wire");

enum uw_proc_flags {
	UW_PROC_USED = 1 << 0, /* the entry is in use */
	UW_PROC_TARGET = 1 << 1, /* the process is profiled */
	UW_PROC_TABLES = 1 << 2, /* extent is valid */
};

struct uw_process {
	u32 pid; /* in the recorder's PID namespace */
	u32 flags; /* enum uw_proc_flags */
	u64 start_ns; /* start_boottime rounded down to 10 ms, the unit of /proc/PID/stat */
	u64 exec_id; /* UW_EXEC_UNKNOWN until the first sample */
	u64 extent; /* first mapping << 32 | number of mappings */
	u32 gen; /* odd while the entry is being written */
	/*
	 * The target has started by then, in units of 2^UW_TARGET_TIME_SHIFT ns since boot; a
	 * process that starts later is another one.
	 */
	u32 target_time;
};
_Static_assert(sizeof(struct uw_process) == 40, "wire");
_Static_assert(offsetof(struct uw_process, target_time) == 36, "wire");

#define UW_TARGET_TIME_SHIFT 26 /* 67 ms; 32 bits of such units are 9 years */

#define UW_EXEC_UNKNOWN (~0ull)
#define UW_TICK_NS 10000000 /* the unit of start times in /proc/PID/stat */
