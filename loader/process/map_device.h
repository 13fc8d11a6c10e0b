/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opens mapped files whose file system may never answer: FUSE and network file systems.
 *
 * (Of FUSE daemons of other users only those of whom an administrator said allow_other: to the
 * others the kernel refuses; fs/fuse/dir.c, fuse_allow_current_process(), Linux 6.1.)
 *
 * Such a file is first opened and read by a process that can be left behind; if that takes
 * longer than MAP_DEVICE_PATIENCE_MS, nothing of its file system is opened any more. A daemon
 * that hangs later, between that and the last read, does hold the recorder.
 */

#include "map_file.h"

#define MAP_DEVICES_MAX 64
#define MAP_DEVICE_PATIENCE_MS 200

struct map_device {
	u32 major, minor;
	bool may_hang, hangs;
};

/* Cache of file systems; evicts the oldest. Initially zero. */
struct map_devices {
	struct map_device v[MAP_DEVICES_MAX];
	u32 n;
};

/**
 * map_device_open() - map_file_open() that never hangs
 *
 * Return: as map_file_open(); -ETIMEDOUT: the file system does not answer.
 */
int map_device_open(struct map_devices *d, const struct map_file *m, int *fd);

/* Whether a daemon or server answers for file systems of this type. */
bool map_device_may_hang(const char *type, size_t len);
