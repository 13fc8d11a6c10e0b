/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Control groups, of version 2, version 1 and both mounted side by side
 * ("hybrid": version 2 at /sys/fs/cgroup/unified). Only version 2 can be compared
 * in the kernel; of the others the pids are taken.
 */

#include <limits.h>

#include "ids.h"

#define CGROUP_MAX_V1 16

struct cgroup_mounts {
	char v2[PATH_MAX]; /* "": not mounted */
	char v1[CGROUP_MAX_V1][PATH_MAX];
	size_t n_v1;
};

struct cgroup_dir {
	char path[PATH_MAX]; /* absolute, without symbolic links */
	bool is_v2;
};

/**
 * cgroup_mounts_read() - where control groups are mounted
 * @file:	/proc/self/mounts, or a file like it
 *
 * Return: 0 or a negative errno; nothing mounted is a success.
 */
int cgroup_mounts_read(const char *file, struct cgroup_mounts *m);

/**
 * cgroup_find() - a control group by the name that people give it
 * @name:	a directory, absolute or relative to /sys/fs/cgroup or to a mount of
 *		it; version 2 is looked at first
 *
 * Return: 0, -ENOENT, or -EINVAL when it is a directory but no control group.
 */
int cgroup_find(const struct cgroup_mounts *m, const char *name, struct cgroup_dir *dir);

/**
 * cgroup_find_container() - the control group of a container
 * @prefix:	the first digits of its id
 * @dir:	the outermost group of that id that has processes; version 2 first
 * @id:		65 bytes; the whole id. With -EEXIST: one of them
 *
 * Return: 0, -ENOENT, -EEXIST when containers with different ids match.
 */
int cgroup_find_container(const struct cgroup_mounts *m, const char *prefix, struct cgroup_dir *dir,
			  char *id);

/**
 * cgroup_pids() - processes of a control group and those below it
 * @pids:	added to
 *
 * Return: 0 or a negative errno.
 */
int cgroup_pids(const char *path, struct ids *pids);

/**
 * cgroup_container_pids() - processes of a container by /proc/PID/cgroup alone
 *
 * For a recorder whose own /sys/fs/cgroup does not show the container.
 *
 * Return: as cgroup_find_container().
 */
int cgroup_container_pids(const char *prefix, struct ids *pids, char *id);

/**
 * cgroup_id() - the kernel's number of a version 2 group, as BPF sees it
 *
 * Return: 0 or a negative errno.
 */
int cgroup_id(const char *path, u64 *id);
