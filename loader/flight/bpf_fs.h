/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The BPF file system that rings are pinned in: the one at /sys/fs/bpf or, where none is
 * mounted there, one of the recorder's own. That is mounted nowhere: a file descriptor holds
 * it, other processes reach it as /proc/PID/fd/N, and it ends with the recorder.
 */

#include "../../core/types.h"

#define BPF_FS "/sys/fs/bpf"
#define BPF_FS_PATH_LEN 64

/* Is a BPF file system mounted at BPF_FS? */
bool bpf_fs_is_mounted(void);

/**
 * bpf_fs_make() - a BPF file system that is mounted nowhere
 * @path:	how this process reaches it, BPF_FS_PATH_LEN bytes
 *
 * Return: a file descriptor that keeps it, or a negative errno.
 */
int bpf_fs_make(char *path);

/**
 * bpf_fs_each() - visit the root of each BPF file system that may hold rings
 * @visit:	what it returns, unless 0, ends the visits
 *
 * BPF_FS, and those that processes called "unspool" have made.
 *
 * Return: 0, a negative errno, or what @visit returned.
 */
int bpf_fs_each(int (*visit)(const char *path, void *data), void *data);
