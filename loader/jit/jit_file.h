/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files in which JITs record the code they compiled:
 *
 *	jit-PID.dump	anywhere; the process keeps an executable mapping of it, by which it is
 *found /tmp/perf-PID.map	in its own mount namespace
 *
 * PID is the number in the process's own PID namespace. Who can write to /tmp can lay a map
 * there: it must be the process's own, or root's, and written since the process is what it is.
 */

#include "../process/process.h"

struct jit_owner {
	u32 pid; /* in the process's own namespace */
	u32 uid; /* of the files that it makes */
};

/* From /proc. 0, -ESRCH, -EBADMSG or what reading gave. */
int jit_owner_read(u32 pid, struct jit_owner *o);

/* Is this mapping a jitdump's? Learns the pid in its name, which a child inherits from its parent.
 */
bool jit_is_marker(const struct mapping *m, u32 *pid);

/* The file behind it. As map_file_open(), but it may have been written to since. */
int jit_open_marker(const struct process *p, const struct mapping *m, int *fd);

/**
 * jit_open_map() - the perf map of a process
 * @o:		of the process
 * @fd:		open for reading; the caller closes it
 * @why:	words, when there is one that is not to be believed; else left alone
 *
 * Return: 0, -ENOENT (none), -EPERM (@why), or what opening gave.
 */
int jit_open_map(const struct process *p, const struct jit_owner *o, int *fd, const char **why);
