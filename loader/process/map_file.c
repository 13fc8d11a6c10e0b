/* SPDX-License-Identifier: BSD-2-Clause */

#include "map_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "maps.h"

int map_file_reopen(int path_fd, int *fd)
{
	char path[64];
	struct stat st;
	int n;

	if (fstat(path_fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	n = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (n < 0)
		return -errno;
	*fd = n;
	return 0;
}

/* seen_ns in CLOCK_REALTIME, the clock of file timestamps. */
static u64 seen_real_ns(const struct map_file *m)
{
	return clock_ns(CLOCK_REALTIME) - (monotonic_ns() - m->seen_ns);
}

static bool is_mapped_file(const struct map_file *m, const struct stat *st)
{
	return st->st_ino == m->inode && major(st->st_dev) == m->dev_major &&
	       minor(st->st_dev) == m->dev_minor;
}

/* Whether the file was neither replaced nor written after the mapping was seen. */
static bool is_unchanged(const struct map_file *m, int fd, const struct stat *st)
{
	/* The ioctl writes an int on every file system that has it, although its type is long. */
	unsigned long gen = 0;

	if (!m->may_change && timespec_ns(st->st_ctim) > seen_real_ns(m))
		return false;
	if (m->inode_gen && !ioctl(fd, FS_IOC_GETVERSION, &gen))
		return (u32)gen == (u32)m->inode_gen;
	return true;
}

static int open_checked(const struct map_file *m, int path_fd, int *out)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int err;

	if (fstat(path_fd, &st))
		return -errno;
	if (!is_mapped_file(m, &st))
		return -ENOENT;
	err = map_file_reopen(path_fd, &fd);
	if (err)
		return err;
	if (!is_unchanged(m, fd, &st))
		return -ENOENT;
	*out = TAKE_FD(fd);
	return 0;
}

static int is_this_mapping(const struct maps_entry *e, void *data)
{
	const struct map_file *m = data;

	return e->start_addr == m->start_addr && e->end_addr == m->end_addr &&
	       e->inode == m->inode && e->dev_major == m->dev_major && e->dev_minor == m->dev_minor;
}

/*
 * Checks that the opened file is the mapped one, because the pid may belong to another process by
 * now, or the process may have called exec. On overlayfs and btrfs, the device from fstat()
 * differs from the device of the mapping, so there the mapping is looked up in /proc/PID/maps
 * instead.
 */
static int open_map_files(const struct map_file *m, int *fd)
{
	_cleanup_close_ int path_fd = -1;
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", m->pid, m->start_addr,
		 m->end_addr);
	path_fd = open(path, O_PATH | O_CLOEXEC);
	if (path_fd < 0 || fstat(path_fd, &st))
		return -errno;
	if (!is_mapped_file(m, &st) && maps_each_exec(m->pid, is_this_mapping, (void *)m) != 1)
		return -ENOENT;
	if (!m->may_change && timespec_ns(st.st_mtim) > seen_real_ns(m))
		return -ENOENT;
	return map_file_reopen(path_fd, fd);
}

/*
 * Opens a path under the root of process @pid; pid 0 means the recorder. Return: a descriptor
 * opened with O_PATH, or a negative errno.
 */
static int open_path_under_root(const char *path, u32 pid)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};
	_cleanup_close_ int root_fd = -1;
	char root[64] = "/";
	int fd;

	if (pid)
		snprintf(root, sizeof(root), "/proc/%u/root", pid);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

static int open_under_root(const struct map_file *m, u32 pid, int *fd)
{
	_cleanup_close_ int path_fd = open_path_under_root(m->path, pid);

	return path_fd < 0 ? path_fd : open_checked(m, path_fd, fd);
}

int map_file_open_beside(u32 pid, const char *path, const char *name, int *fd)
{
	_cleanup_close_ int path_fd = -1;
	const char *end = strrchr(path, '/');
	char beside[PATH_MAX];

	if (*path != '/' || !*name || strchr(name, '/') || end - path > PATH_MAX / 2 ||
	    strlen(name) > NAME_MAX)
		return -EINVAL;
	snprintf(beside, sizeof(beside), "%.*s/%s", (int)(end - path), path, name);
	path_fd = open_path_under_root(beside, pid);
	return path_fd < 0 ? path_fd : map_file_reopen(path_fd, fd);
}

int map_file_open(const struct map_file *m, int *fd)
{
	const u32 roots[] = { m->pid, m->ppid, 0 };
	int err;

	if (m->path[0] != '/' || m->path[1] == '/' || !m->inode)
		return -ENOENT;
	err = open_map_files(m, fd);
	if (!err || err == -EINVAL)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		if (i < 2 && !roots[i])
			continue;
		err = open_under_root(m, roots[i], fd);
		if (!err)
			break;
	}
	return err == -ELOOP ? -ENOENT : err;
}
