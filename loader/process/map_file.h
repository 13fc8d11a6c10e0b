/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opens the file of a mapping of another process. This works even if the file was deleted or is in
 * another mount namespace, or if the process has exited.
 *
 * Paths come from hostile processes. Therefore a file is first opened with O_PATH, which reads
 * nothing, never blocks and calls no driver; the file is opened for reading only if it is a regular
 * file. Symlinks in the path of an event are not followed. Only a file system that hangs can block
 * the recorder (see map_device.h).
 */

#include "../../core/types.h"

struct map_file {
	u32 pid, ppid; /* process that has the mapping, and its parent */
	u64 start_addr, end_addr;
	u64 inode, inode_gen; /* inode_gen 0: unknown */
	u32 dev_major, dev_minor;
	u64 seen_ns; /* CLOCK_MONOTONIC time at which the mapping existed */
	const char *path; /* unescaped */
	bool may_change; /* the file is written continuously, so only its identity is checked, not
			  * the time of its last write */
};

/**
 * map_file_open() - open the file of a mapping
 * @m:		mapping
 * @fd:		regular file, open for reading; the caller closes it
 *
 * First tries /proc/PID/map_files, which leads to the mapped file itself even if the file was
 * renamed or deleted. Then tries the path as the process sees it, as the parent of the process sees
 * it, and as the recorder sees it. The file must have the mapping's device and inode and must not
 * have been written since the mapping was seen. A file found by path must also have the inode's
 * generation, if the file system reports it, and no later change of its inode. The file is checked
 * because the symbols of another file would give wrong names.
 *
 * Return: 0, -ENOENT (there is no such file, or it is another file now), -EINVAL (not a regular
 * file), -EACCES, or the error of open().
 */
int map_file_open(const struct map_file *m, int *fd);

/**
 * map_file_reopen() - open a file for reading by its O_PATH descriptor
 * @fd:		the caller closes it
 *
 * Return: 0, -EINVAL (not a regular file), -EACCES, or the error of open().
 */
int map_file_reopen(int path_fd, int *fd);

/**
 * map_file_open_beside() - open a file in the folder of another, as a process sees it
 * @path:	absolute path of the other file
 * @name:	file name, without a slash
 * @fd:		regular file, open for reading; the caller closes it
 *
 * The caller checks the identity of the file by its contents.
 *
 * Return: 0, -ENOENT, -EINVAL (not a regular file, or an invalid name), -EACCES, or the error
 * of open().
 */
int map_file_open_beside(u32 pid, const char *path, const char *name, int *fd);
