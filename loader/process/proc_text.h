/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The texts of /proc/PID, taken apart: pure functions over bytes. Names in them are
 * the target's choice and may look like anything.
 */

#include "../../core/types.h"

#define CONTAINER_ID_LEN 64 /* hex digits */

struct proc_stat {
	char comm[64]; /* kernel threads' are longer than TASK_COMM_LEN */
	char state;
	u32 ppid;
	bool is_kernel_thread;
	u64 start_ticks; /* since boot, 1/100 s whatever the kernel's HZ */
	/* Of the image: 0 without memory and until its exec is done. */
	u64 code_addr, env_end;
};

/**
 * parse_proc_stat() - /proc/PID/stat
 *
 * "812 (a) b) S 1 ...": the name may hold blanks and parentheses, so it ends at the
 * last one; numbers follow.
 *
 * Return: 0 or -EBADMSG.
 */
int parse_proc_stat(const char *text, size_t len, struct proc_stat *stat);

/* The last pid of "NSpid:" in /proc/PID/status: in the process's own namespace. 0 or -EBADMSG. */
int parse_proc_nspid(const char *text, size_t len, u32 *nspid);

/* The last number of "Uid:" there: who owns the files that the process makes. 0 or -EBADMSG. */
int parse_proc_fsuid(const char *text, size_t len, u32 *uid);

/**
 * parse_proc_cgroup() - the path that tells most, in /proc/PID/cgroup
 * @path:	points into @text
 *
 * The one with a container's id in it, else the one of version 2 ("0::/..."), else
 * the first.
 *
 * Return: 0 or -ENOENT.
 */
int parse_proc_cgroup(const char *text, size_t len, const char **path, size_t *path_len);

/**
 * container_id_of() - the container in a cgroup's path
 * @id:		CONTAINER_ID_LEN + 1 bytes, terminated
 *
 * The innermost component that has an id of 64 hex digits of its own:
 * /docker/ID, docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope,
 * libpod-ID.scope, /kubepods/.../podUID/ID. Not a container's monitor (conmon).
 *
 * Return: whether there is one.
 */
bool container_id_of(const char *path, size_t len, char *id);

/**
 * proc_display_name() - what a process is called
 * @cmdline:	/proc/PID/cmdline: arguments, each with its NUL; may be empty
 * @exe:	path of the executable, or NULL
 * @dst:	terminated, cut to @cap
 *
 * The file name of the script for Node.js ("[eval]" and "[stdin]" as Node.js itself
 * says), or its title if the program has set one; the assembly for `dotnet APP.dll`;
 * else the file name of argv[0], else that of the executable. A login shell's dash is dropped.
 */
void proc_display_name(const char *cmdline, size_t len, const char *exe, char *dst, size_t cap);
