// SPDX-License-Identifier: BSD-2-Clause

#include "jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../process/map_file.h"
#include "../process/proc_text.h"

/* large enough, because both lines that are read are in the first half of the file */
#define MAX_STATUS 4096
/* tolerance, because file times use a coarse clock and start times are in ticks */
#define SLACK_NS 20000000ull

int jit_owner_read(u32 pid, struct jit_owner *o)
{
	_cleanup_close_ int fd = -1;
	char path[64], text[MAX_STATUS];
	struct jit_owner found;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return -errno;
	if (parse_proc_nspid(text, (size_t)n, &found.pid) ||
	    parse_proc_fsuid(text, (size_t)n, &found.uid))
		return -EBADMSG;
	*o = found;
	return 0;
}

bool jit_is_marker(const struct mapping *m, u32 *pid)
{
	const char *slash = m->path ? strrchr(m->path->text, '/') : NULL;
	unsigned long long n;
	char *end;

	if (!slash || !m->inode || strncmp(slash, "/jit-", 5) || slash[5] < '0' || slash[5] > '9')
		return false;
	n = strtoull(slash + 5, &end, 10);
	if (strcmp(end, ".dump") != 0 || n > 0xffffffff)
		return false;
	*pid = (u32)n;
	return true;
}

int jit_open_marker(const struct process *p, const struct mapping *m, int *fd)
{
	const struct map_file f = {
		.pid = p->pid,
		.ppid = p->ppid,
		.start_addr = m->start_addr,
		.end_addr = m->end_addr,
		.inode = m->inode,
		.inode_gen = m->inode_gen,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.seen_ns = m->seen_ns,
		.path = m->path->text,
		.may_change = true,
	};

	return map_file_open(&f, fd);
}

/*
 * Time at which the process started or called exec last, in CLOCK_REALTIME, the clock of file
 * times.
 */
static u64 began_ns(const struct process *p)
{
	u64 real = clock_ns(CLOCK_REALTIME), boot = clock_ns(CLOCK_BOOTTIME);
	u64 began = p->start_ns && p->start_ns < boot ? real - (boot - p->start_ns) : 0;
	u64 exec = p->exec_ns ? real - (monotonic_ns() - p->exec_ns) : 0;

	began = exec > began ? exec : began;
	return began > SLACK_NS ? began - SLACK_NS : 0;
}

static const char *doubt(const struct process *p, const struct jit_owner *o, const struct stat *st)
{
	u64 written = timespec_ns(st->st_mtim);

	if (!S_ISREG(st->st_mode))
		return "perf map not a regular file";
	if (st->st_uid && st->st_uid != o->uid)
		return "perf map of another user";
	if (written < began_ns(p))
		return "perf map of an earlier process";
	return NULL;
}

int jit_open_map(const struct process *p, const struct jit_owner *o, int *fd, const char **why)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int root_fd = -1, path_fd = -1;
	char root[64], name[64];
	const char *found;
	struct stat st;

	snprintf(root, sizeof(root), "/proc/%u/root", p->pid);
	snprintf(name, sizeof(name), "tmp/perf-%u.map", o->pid);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	path_fd = (int)syscall(SYS_openat2, root_fd, name, &how, sizeof(how));
	if (path_fd < 0 || fstat(path_fd, &st))
		return -errno;
	found = doubt(p, o, &st);
	if (found) {
		*why = found;
		return -EPERM;
	}
	return map_file_reopen(path_fd, fd);
}
