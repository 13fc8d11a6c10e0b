/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opens the file of a mapping of another process. The file may be deleted or in another
 * mount namespace; the process may have exited.
 *
 * Paths come from hostile processes. So a file is first opened with O_PATH, which
 * reads nothing, never blocks and wakes no driver; it is opened for reading only if it is
 * a regular file. Symlinks in the path of an event are not followed. Only a file system that
 * hangs can block the recorder: see map_device.h.
 */

#include "../../core/types.h"

struct map_file {
	u32 pid, ppid; /* whose mapping it is */
	u64 start_addr, end_addr;
	u64 inode, inode_gen; /* inode_gen 0: unknown */
	u32 dev_major, dev_minor;
	u64 seen_ns; /* CLOCK_MONOTONIC: the mapping was there then */
	const char *path; /* unescaped */
	bool may_change; /* the file is written continuously: check only that it is the same file */
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
 * The caller checks the identity of the file by its contents.
 *
 * Return: 0, -ENOENT, -EINVAL (no regular file, or a name that can't be), -EACCES, or what
 * opening gave.
 */
int map_file_open_beside(u32 pid, const char *path, const char *name, int *fd);
