/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Parsers of the text files of /proc/PID: pure functions over bytes. The target chooses the names
 * in these files, so names may contain any bytes.
 */

#include "../../core/types.h"

#define CONTAINER_ID_LEN 64 /* hex digits */

struct proc_stat {
	char comm[64]; /* longer than TASK_COMM_LEN, because names of kernel threads may be */
	char state;
	u32 ppid;
	bool is_kernel_thread;
	u64 start_ticks; /* start time since boot, in 1/100 s regardless of the kernel's HZ */
	/* Addresses of the image; 0 if the task has no memory or its exec is not complete. */
	u64 code_addr, env_end;
};

/**
 * parse_proc_stat() - parse /proc/PID/stat
 *
 * "812 (a) b) S 1 ...": the name may contain blanks and parentheses, so it ends at the
 * last closing parenthesis. The state and numbers follow.
 *
 * Return: 0 or -EBADMSG.
 */
int parse_proc_stat(const char *text, size_t len, struct proc_stat *stat);

/*
 * The last pid of "NSpid:" in /proc/PID/status, which is the pid in the process's own
 * namespace. Return: 0 or -EBADMSG.
 */
int parse_proc_nspid(const char *text, size_t len, u32 *nspid);

/*
 * The last number of "Uid:" in /proc/PID/status, which is the owner of files that the process
 * creates. Return: 0 or -EBADMSG.
 */
int parse_proc_fsuid(const char *text, size_t len, u32 *uid);

/**
 * parse_proc_cgroup() - select the most specific path in /proc/PID/cgroup
 * @path:	points into @text
 *
 * Prefers a path that contains a container's id, then the path for cgroup version 2 ("0::/..."),
 * then the first path.
 *
 * Return: 0 or -ENOENT.
 */
int parse_proc_cgroup(const char *text, size_t len, const char **path, size_t *path_len);

/**
 * container_id_of() - find the id of the container in a cgroup's path
 * @id:		CONTAINER_ID_LEN + 1 bytes, terminated
 *
 * Uses the innermost component with an id of 64 hex digits:
 * /docker/ID, docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope,
 * libpod-ID.scope, /kubepods/.../podUID/ID. Ignores a container's monitor (conmon).
 *
 * Return: whether the path contains an id.
 */
bool container_id_of(const char *path, size_t len, char *id);

/**
 * proc_display_name() - get the display name of a process
 * @cmdline:	/proc/PID/cmdline: arguments, each with its NUL; may be empty
 * @exe:	path of the executable, or NULL
 * @dst:	receives the name, terminated and truncated to @cap bytes
 *
 * For Node.js, the name is the file name of the script ("[eval]" and "[stdin]" as in Node.js
 * itself), or the title if the program has set one; for `dotnet APP.dll`, it is the assembly; for
 * Python, it is the file name of the script, or the module of `-m`. For other programs, the name is
 * the file name of argv[0], or, without argv[0], the file name of the executable. The dash before
 * the name of a login shell is dropped.
 */
void proc_display_name(const char *cmdline, size_t len, const char *exe, char *dst, size_t cap);

/**
 * proc_script() - get the script of a Node.js or Python process, or the assembly of
 *		   `dotnet APP.dll`
 *
 * Return: its path as in @cmdline, a Python module, or "[eval]" or "[stdin]" of Node.js;
 * borrowed from @cmdline. NULL: none.
 */
const char *proc_script(const char *cmdline, size_t len, const char *exe);
