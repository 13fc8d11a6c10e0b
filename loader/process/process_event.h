/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Process events from the kernel: fork, exit, exec, new names and executable
 * mappings. Pids are in the recorder's PID namespace.
 */

#include "../../core/types.h"

#define PROCESS_COMM_LEN 16 /* TASK_COMM_LEN, with its NUL */

enum process_event_type {
	PROCESS_FORK, /* a process, or a thread when pid == ppid */
	PROCESS_EXIT, /* one thread */
	PROCESS_COMM, /* a thread's new name */
	PROCESS_EXEC, /* a new image, named in comm; all earlier mappings are gone */
	PROCESS_MMAP, /* an executable mapping */
	PROCESS_LOST, /* the kernel dropped events because a ring was full */
};

struct process_mmap_event {
	u64 start_addr, len, file_off;
	u64 inode, inode_gen; /* inode in the file system; 0 for anonymous memory */
	u32 dev_major, dev_minor;
	const char *path; /* "//anon" and "[vdso]" are not files */
};

struct process_event {
	u64 time_ns; /* CLOCK_MONOTONIC */
	enum process_event_type type;
	u32 pid, tid;
	u32 cpu;
	union {
		struct {
			u32 ppid, ptid;
		} fork; /* PROCESS_FORK and PROCESS_EXIT */
		char comm[PROCESS_COMM_LEN]; /* PROCESS_COMM and PROCESS_EXEC */
		struct process_mmap_event mmap;
		u64 n_lost;
	};
};
