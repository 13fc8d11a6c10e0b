/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files in which JITs record the code they compiled:
 *
 *	jit-PID.dump		in any folder; found by the executable mapping that the process
 *				keeps of it
 *	/tmp/perf-PID.map	in the mount namespace of the process
 *
 * PID in these names is the process's number in its own PID namespace. Anyone who can write to
 * /tmp can create such a map, so the map is used only if its owner is the process's user or
 * root, and if it was written after the process started or last called exec.
 */

#include "../process/process.h"

struct jit_owner {
	u32 pid; /* pid in the process's own PID namespace */
	u32 uid; /* user that owns the files it creates */
};

/* Reads both from /proc. Return: 0, -ESRCH, -EBADMSG or the negative errno of a read. */
int jit_owner_read(u32 pid, struct jit_owner *o);

/*
 * Return: whether the mapping is of a jitdump. @pid: pid in the file's name; this can be the
 *         parent's pid, because a child inherits the mapping.
 */
bool jit_is_marker(const struct mapping *m, u32 *pid);

/*
 * Opens the mapped jitdump like map_file_open(), but also if the file was written after it was
 * mapped.
 */
int jit_open_marker(const struct process *p, const struct mapping *m, int *fd);

/**
 * jit_open_map() - open the perf map of a process
 * @o:		pid and user of the process
 * @fd:		open for reading; the caller closes it
 * @why:	if a perf map exists but is not trusted, set to the reason; otherwise unchanged
 *
 * Return: 0, -ENOENT (none), -EPERM (not trusted, see @why), or an error of open().
 */
int jit_open_map(const struct process *p, const struct jit_owner *o, int *fd, const char **why);
