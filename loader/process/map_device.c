/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * File systems on disks or in memory always answer. The device number comes from the mapping and
 * the type of the file system from the mount table of the process; reading these does not access
 * the file system. If a file system was unmounted while it was in use, it is in no mount table, so
 * its type is unknown.
 */

#include "map_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

#define MAX_MOUNTS 100000

bool map_device_may_hang(const char *type, size_t len)
{
	static const char *const types[] = { "fuse", "fuseblk", "nfs",	 "nfs4", "cifs",
					     "smb3", "9p",	"ceph",	 "afs",	 "virtiofs",
					     "gfs2", "ocfs2",	"lustre" };

	if (len > 5 && !strncmp(type, "fuse.", 5))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (len == strlen(types[i]) && !strncmp(type, types[i], len))
			return true;
	return false;
}

/*
 * Looks up the file system in the mount table of a process. Return: 1: it may hang; 0: it cannot
 * hang; -ENOENT: the process has no mount of this device.
 */
static int look_up(const struct map_file *m, u32 pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[64] = "/proc/self/mountinfo";
	size_t size = 0;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%u/mountinfo", pid);
	f = fopen(path, "re");
	for (u32 i = 0; f && i < MAX_MOUNTS && getline(&line, &size, f) > 0; i++) {
		const char *type = strstr(line, " - ");
		unsigned int dev_major, dev_minor;

		if (type && sscanf(line, "%*u %*u %u:%u ", &dev_major, &dev_minor) == 2 &&
		    dev_major == m->dev_major && dev_minor == m->dev_minor)
			return map_device_may_hang(type + 3, strcspn(type + 3, " \n"));
	}
	return -ENOENT;
}

/* Shared memory is on an internal file system of the kernel, which is mounted nowhere. */
static bool is_shared_memory(const struct map_file *m)
{
	_cleanup_close_ int fd = memfd_create("unspool", MFD_CLOEXEC);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && major(st.st_dev) == m->dev_major &&
	       minor(st.st_dev) == m->dev_minor;
}

static struct map_device *device_of(struct map_devices *d, const struct map_file *m)
{
	struct map_device *new;
	int r = -ENOENT;

	for (u32 i = 0; i < d->n && i < MAP_DEVICES_MAX; i++)
		if (d->v[i].major == m->dev_major && d->v[i].minor == m->dev_minor)
			return &d->v[i];
	if (is_shared_memory(m))
		r = 0;
	if (r < 0)
		r = look_up(m, m->pid);
	if (r < 0)
		r = look_up(m, 0);
	new = &d->v[d->n++ % MAP_DEVICES_MAX];
	*new = (struct map_device){ m->dev_major, m->dev_minor, r != 0, false };
	return new;
}

/*
 * Runs in the child. Writes the result only after close(), because close() is the last call that
 * can hang; then exits.
 */
static void try(const struct map_file *m, int out)
{
	int fd = -1, result;
	char byte;

	syscall(SYS_close_range, 0, out - 1, 0);
	syscall(SYS_close_range, out + 1, ~0u, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	result = map_file_open(m, &fd);
	if (!result && pread(fd, &byte, 1, 0) < 0)
		result = -errno;
	if (fd >= 0)
		close(fd);
	if (write(out, &result, sizeof(result)) < 0)
		_exit(1);
	_exit(0);
}

/*
 * Opens and reads the file in a child process. Return: the result of opening and reading;
 * -ETIMEDOUT: the child did not report a result in time.
 */
static int probe(const struct map_file *m)
{
	_cleanup_close_ int in = -1, out = -1;
	int pair[2], result = -EIO;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC))
		return -errno;
	in = pair[0];
	out = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		try(m, out);
	close(TAKE_FD(out));
	if (poll(&(struct pollfd){ .fd = in, .events = POLLIN }, 1, MAP_DEVICE_PATIENCE_MS) < 1) {
		kill(pid, SIGKILL); /* may never take effect, so waitpid() could block; init reaps
				     * the child after the recorder has exited */
		return -ETIMEDOUT;
	}
	if (read(in, &result, sizeof(result)) != sizeof(result))
		result = -EIO;
	waitpid(pid, NULL, 0);
	return result;
}

int map_device_open(struct map_devices *d, const struct map_file *m, int *fd)
{
	struct map_device *device;
	int err = 0;

	if (m->path[0] != '/' || !m->inode)
		return map_file_open(m, fd);
	device = device_of(d, m);
	if (device->hangs)
		return -ETIMEDOUT;
	if (device->may_hang)
		err = probe(m);
	device->hangs = err == -ETIMEDOUT;
	return err ? err : map_file_open(m, fd);
}
