/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The BPF file system in which rings are pinned. This is the BPF file system at
 * /sys/fs/bpf or, if none is mounted there, a new one that the recorder creates. The new
 * file system is not mounted: a file descriptor of the recorder keeps it alive, other
 * processes reach it as /proc/PID/fd/N, and it disappears when the recorder ends.
 */

#include "../../core/types.h"

#define BPF_FS "/sys/fs/bpf"
#define BPF_FS_PATH_LEN 64

/* Return: whether a BPF file system is mounted at BPF_FS. */
bool bpf_fs_is_mounted(void);

/**
 * bpf_fs_make() - create a BPF file system without mounting it
 * @path:	receives a path to it that works in this process; BPF_FS_PATH_LEN bytes
 *
 * Return: a file descriptor that holds it, or a negative errno.
 */
int bpf_fs_make(char *path);

/**
 * bpf_fs_each() - call a function for the root of each BPF file system that may hold rings
 * @visit:	called with each root; a result other than 0 ends the iteration
 *
 * Visits BPF_FS and the file systems created by processes named "unspool".
 *
 * Return: 0, a negative errno, or the return value of @visit.
 */
int bpf_fs_each(int (*visit)(const char *path, void *data), void *data);
