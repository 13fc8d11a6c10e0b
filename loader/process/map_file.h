/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opening the file behind a mapping of another process, which may be deleted, in
 * another mount namespace, or the process may be gone.
 *
 * Every path is a hostile process's. So a file is first opened with O_PATH, which
 * reads nothing, waits for nothing and wakes no driver, then checked to be a regular
 * file, and only then opened for reading. A symlink is never followed in a
 * path that a record told. Only a file system that hangs can hold us: see map_device.h.
 */

#include "../../core/types.h"

struct map_file {
	u32 pid, ppid; /* whose mapping it is */
	u64 start_addr, end_addr;
	u64 inode, inode_gen; /* inode_gen 0: unknown */
	u32 dev_major, dev_minor;
	u64 seen_ns; /* CLOCK_MONOTONIC: the mapping was there then */
	const char *path; /* unescaped */
	bool may_change; /* it is written to all the time: only that it is the same file matters */
};

/**
 * map_file_open() - the file of a mapping, or nothing
 * @m:		mapping
 * @fd:		open for reading, regular; the caller closes it
 *
 * First through /proc/PID/map_files, which is the mapped file itself whatever has
 * become of its name; then by path as the process, its parent and the recorder see
 * it. It must have the device and inode that were mapped and must not have been
 * written since; by path it must also have the inode's generation, where the file
 * system tells it, and no later change at all. Another file's symbols would be wrong
 * names.
 *
 * Return: 0, -ENOENT (no file, or not that one any more), -EINVAL (not a regular
 * file), -EACCES, or what opening gave.
 */
int map_file_open(const struct map_file *m, int *fd);

/**
 * map_file_reopen() - from a descriptor that was opened with O_PATH to one that can be read
 * @fd:		the caller closes it
 *
 * Return: 0, -EINVAL (not a regular file), -EACCES, or what opening gave.
 */
int map_file_reopen(int path_fd, int *fd);

/**
 * map_file_open_beside() - a file in the folder of another, as a process sees it
 * @path:	of the other, absolute
 * @name:	the last part of a path
 * @fd:		open for reading, regular; the caller closes it
 *
 * What it is has to be checked by what is in it.
 *
 * Return: 0, -ENOENT, -EINVAL (no regular file, or a name that can't be), -EACCES, or what
 * opening gave.
 */
int map_file_open_beside(u32 pid, const char *path, const char *name, int *fd);
