/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The BPF file system that rings are pinned in: the one at /sys/fs/bpf or, if none is
 * mounted there, a new one of the recorder. The new one is mounted nowhere: a file descriptor
 * holds it, other processes reach it as /proc/PID/fd/N, and it disappears with the recorder.
 */

#include "../../core/types.h"

#define BPF_FS "/sys/fs/bpf"
#define BPF_FS_PATH_LEN 64

/* Whether a BPF file system is mounted at BPF_FS. */
bool bpf_fs_is_mounted(void);

/**
 * bpf_fs_make() - create a BPF file system that is mounted nowhere
 * @path:	its path for this process, BPF_FS_PATH_LEN bytes
 *
 * Return: a file descriptor that holds it, or a negative errno.
 */
int bpf_fs_make(char *path);

/**
 * bpf_fs_each() - visit the root of each BPF file system that may hold rings
 * @visit:	a return value other than 0 ends the iteration
 *
 * BPF_FS, and those that processes called "unspool" have made.
 *
 * Return: 0, a negative errno, or what @visit returned.
 */
int bpf_fs_each(int (*visit)(const char *path, void *data), void *data);
