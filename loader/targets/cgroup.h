/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Control groups of version 2, of version 1, and of both mounted side by side ("hybrid": version 2
 * at /sys/fs/cgroup/unified). The BPF programs can recognize only version 2 groups; for other
 * groups the recorder collects pids.
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
 * cgroup_mounts_read() - find where control groups are mounted
 * @file:	/proc/self/mounts, or a file of that format
 *
 * Return: 0, also if no control groups are mounted, or a negative errno.
 */
int cgroup_mounts_read(const char *file, struct cgroup_mounts *m);

/**
 * cgroup_find() - find a control group by the name a user gives
 * @name:	a directory: an absolute path, or a path relative to /sys/fs/cgroup or to a cgroup
 *		mount; version 2 is tried first
 *
 * Return: 0, -ENOENT, or -EINVAL if @name is a directory but not a control group.
 */
int cgroup_find(const struct cgroup_mounts *m, const char *name, struct cgroup_dir *dir);

/**
 * cgroup_find_container() - find the control group of a container
 * @prefix:	the first digits of the container's id
 * @dir:	receives the outermost group of the container that has processes; version 2 is
 *	preferred
 * @id:		65 bytes; receives the full id, or one of the matching ids if -EEXIST is returned
 *
 * Return: 0, -ENOENT, -EEXIST if containers with different ids match.
 */
int cgroup_find_container(const struct cgroup_mounts *m, const char *prefix, struct cgroup_dir *dir,
			  char *id);

/**
 * cgroup_pids() - add the processes of a control group and of the groups below it
 * @pids:	pids are added to this list
 *
 * Return: 0 or a negative errno.
 */
int cgroup_pids(const char *path, struct ids *pids);

/**
 * cgroup_container_pids() - find the processes of a container from /proc/PID/cgroup alone
 *
 * Needed if the recorder's /sys/fs/cgroup does not show the container.
 *
 * Return: as cgroup_find_container().
 */
int cgroup_container_pids(const char *prefix, struct ids *pids, char *id);

/**
 * cgroup_id() - get the kernel's id of a version 2 group, as BPF helpers return it
 *
 * Return: 0 or a negative errno.
 */
int cgroup_id(const char *path, u64 *id);
