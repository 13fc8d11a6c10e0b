/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What happens to processes, as the kernel tells it: births, deaths, new images,
 * new executable mappings. Pids are those of the recorder's own PID namespace.
 */

#include "../../core/types.h"

#define LIFE_COMM_LEN 16 /* TASK_COMM_LEN, with its NUL */

enum life_type {
	LIFE_FORK, /* a process, or a thread when pid == ppid */
	LIFE_EXIT, /* one thread */
	LIFE_COMM, /* a thread's new name */
	LIFE_EXEC, /* a new image: name in comm, every mapping is gone */
	LIFE_MMAP, /* an executable mapping */
	LIFE_LOST, /* events that the kernel had no room for */
};

struct life_mmap {
	u64 start_addr, len, file_off;
	u64 inode, inode_gen; /* as the file system has them; 0 for anonymous memory */
	u32 dev_major, dev_minor;
	const char *path; /* "//anon" and "[vdso]" are not files */
};

struct life_event {
	u64 time_ns; /* CLOCK_MONOTONIC */
	enum life_type type;
	u32 pid, tid;
	u32 cpu;
	union {
		struct {
			u32 ppid, ptid;
		} fork; /* LIFE_FORK and LIFE_EXIT */
		char comm[LIFE_COMM_LEN]; /* LIFE_COMM and LIFE_EXEC */
		struct life_mmap mmap;
		u64 n_lost;
	};
};
