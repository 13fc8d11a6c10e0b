/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files in which JITs record the code they compiled:
 *
 *	jit-PID.dump		in any folder; found by the executable mapping that the process
 *				keeps of it
 *	/tmp/perf-PID.map	in the mount namespace of the process
 *
 * PID is the number in the process's own PID namespace. Anyone who can write to /tmp can create
 * a map there, so its owner must be the process's user or root, and it must have been written
 * after the process's start or last exec.
 */

#include "../process/process.h"

struct jit_owner {
	u32 pid; /* in the process's own namespace */
	u32 uid; /* owner of files that it creates */
};

/* Reads the owner from /proc. Return: 0, -ESRCH, -EBADMSG or an error of reading. */
int jit_owner_read(u32 pid, struct jit_owner *o);

/*
 * Return: whether the mapping is of a jitdump. @pid: pid in the file's name; a child's mapping
 * is inherited, so this can be its parent's pid.
 */
bool jit_is_marker(const struct mapping *m, u32 *pid);

/* Opens the mapped file. Like map_file_open(), but the file may have been written since. */
int jit_open_marker(const struct process *p, const struct mapping *m, int *fd);

/**
 * jit_open_map() - open the perf map of a process
 * @o:		pid and user of the process
 * @fd:		open for reading; the caller closes it
 * @why:	the reason why an existing map is not trusted; else unchanged
 *
 * Return: 0, -ENOENT (none), -EPERM (not trusted, see @why), or an error of open().
 */
int jit_open_map(const struct process *p, const struct jit_owner *o, int *fd, const char **why);
