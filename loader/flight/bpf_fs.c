// SPDX-License-Identifier: BSD-2-Clause

#include "bpf_fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "../../inspect/util/cleanup.h"

static void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static bool is_bpf_fs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (u32)fs.f_type == BPF_FS_MAGIC;
}

bool bpf_fs_is_mounted(void)
{
	return is_bpf_fs(BPF_FS);
}

int bpf_fs_make(char *path)
{
	_cleanup_close_ int fs = fsopen("bpf", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(path, BPF_FS_PATH_LEN, "/proc/self/fd/%d", fd);
	return fd;
}

static bool is_unspool(const char *pid)
{
	char path[BPF_FS_PATH_LEN], comm[16] = "";
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, comm, sizeof(comm)) == 8 && !memcmp(comm, "unspool\n", 8);
}

/*
 * Visits only file systems that are not mounted, because statfs() on a mounted one may block
 * forever.
 */
static int visit_process(const char *pid, int (*visit)(const char *path, void *data), void *data)
{
	char path[BPF_FS_PATH_LEN], target[8];
	_cleanup_(cleanup_closedir) DIR *dir = NULL;
	const struct dirent *e;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	while (dir && !r && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid, e->d_name);
		if (readlink(path, target, sizeof(target)) == 1 && *target == '/' &&
		    is_bpf_fs(path))
			r = visit(path, data);
	}
	return r;
}

int bpf_fs_each(int (*visit)(const char *path, void *data), void *data)
{
	_cleanup_(cleanup_closedir) DIR *dir = opendir("/proc");
	int r = bpf_fs_is_mounted() ? visit(BPF_FS, data) : 0;
	const struct dirent *e;

	if (!dir)
		return -errno;
	while (!r && (e = readdir(dir)))
		if (*e->d_name >= '1' && *e->d_name <= '9' && is_unspool(e->d_name))
			r = visit_process(e->d_name, visit, data);
	return r;
}
