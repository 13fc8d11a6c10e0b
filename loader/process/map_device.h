/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opens mapped files on FUSE and network file systems, which may never answer.
 *
 * (The kernel refuses access to FUSE mounts of other users unless they have the option
 * allow_other; fs/fuse/dir.c, fuse_allow_current_process(), Linux 6.1.)
 *
 * A child process, which the recorder can abandon, first opens and reads such a file as a probe. If
 * the probe takes longer than MAP_DEVICE_PATIENCE_MS, no file of the same file system is opened
 * again. A daemon that starts to hang after the probe still blocks the recorder.
 */

#include "map_file.h"

#define MAP_DEVICES_MAX 64
#define MAP_DEVICE_PATIENCE_MS 200

struct map_device {
	u32 major, minor;
	bool may_hang, hangs;
};

/* Cache of file systems; a new entry replaces the oldest one. Initially zero. */
struct map_devices {
	struct map_device v[MAP_DEVICES_MAX];
	u32 n;
};

/**
 * map_device_open() - open a mapped file, unless its file system hangs
 *
 * Return: as map_file_open(), or -ETIMEDOUT: the file system does not answer.
 */
int map_device_open(struct map_devices *d, const struct map_file *m, int *fd);

/* Return: whether a daemon or server implements file systems of this type. */
bool map_device_may_hang(const char *type, size_t len);
