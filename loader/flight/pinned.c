// SPDX-License-Identifier: BSD-2-Clause

#include "pinned.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/util/cleanup.h"
#include "../process/proc_text.h"
#include "bpf_fs.h"

static const char *const names[] = { "rings", "control", "names" };

/* Start time of a process in ticks since boot; 0: no such process, or it has ended. */
static u64 start_of(u32 pid)
{
	char path[64], text[2048];
	struct proc_stat stat;
	_cleanup_close_ int fd = -1;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text));
	return len <= 0 || parse_proc_stat(text, (size_t)len, &stat) || stat.state == 'Z'
		       ? 0
		       : stat.start_ticks;
}

static int pin_one(const char *dir, const char *name, int fd)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (bpf_obj_pin(fd, path))
		return -errno;
	return chmod(path, 0600) ? -errno : 0;
}

int pinned_make(const struct rings_fds *fds, struct pinned *out)
{
	const int list[] = { fds->rings, fds->control, fds->names };
	struct pinned p = { .pid = (u32)getpid(), .is_alive = true, .fs_fd = -1 };
	char root[BPF_FS_PATH_LEN] = BPF_FS;
	int err = 0;

	if (!bpf_fs_is_mounted()) {
		p.fs_fd = bpf_fs_make(root);
		if (p.fs_fd < 0)
			return p.fs_fd;
	}
	snprintf(p.dir, sizeof(p.dir), "%s/unspool-%u-%llu", root, p.pid, start_of(p.pid));
	if (mkdir(p.dir, 0700)) {
		err = -errno;
		cleanup_close(&p.fs_fd);
		return err;
	}
	for (size_t i = 0; i < 3 && !err; i++)
		err = pin_one(p.dir, names[i], list[i]);
	if (err)
		pinned_remove(&p);
	else
		*out = p;
	return err;
}

void pinned_remove(const struct pinned *p)
{
	char path[PATH_MAX + 16];

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, names[i]);
		unlink(path);
	}
	rmdir(p->dir);
	if (p->fs_fd >= 0)
		close(p->fs_fd);
}

/* Return: whether only this user or root can write to the directory. */
static bool is_trusted(const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && !(st.st_mode & 022) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

bool pinned_is_alive(const struct pinned *p)
{
	return p->start_ticks && start_of(p->pid) == p->start_ticks;
}

static bool take(const char *root, const char *name, struct pinned *out)
{
	struct pinned p = { .fs_fd = -1 };
	int len = 0;

	if (sscanf(name, "unspool-%u-%llu%n", &p.pid, &p.start_ticks, &len) != 2 || name[len] ||
	    strlen(name) > 64)
		return false;
	snprintf(p.dir, sizeof(p.dir), "%s/%s", root, name);
	p.is_alive = pinned_is_alive(&p);
	if (!is_trusted(p.dir))
		return false;
	*out = p;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct pinned *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

struct list {
	struct pinned *v;
	size_t n;
};

static int list_in(const char *root, void *data)
{
	struct list *list = data;
	DIR *dir = opendir(root);
	const struct dirent *e;
	int err = dir ? 0 : -errno;

	while (!err && (e = readdir(dir))) {
		struct pinned *grown = reallocarray(list->v, list->n + 1, sizeof(*grown));

		if (!grown)
			err = -ENOMEM;
		else
			list->v = grown;
		list->n += !err && take(root, e->d_name, &list->v[list->n]);
	}
	if (dir)
		closedir(dir);
	return err;
}

int pinned_list(struct pinned **out, size_t *n)
{
	struct list list = { 0 };
	int err = bpf_fs_each(list_in, &list);

	if (err) {
		free(list.v);
		return err;
	}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_pid);
	*out = list.v;
	*n = list.n;
	return 0;
}

static int open_one(const struct pinned *p, const char *name)
{
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

int pinned_open(const struct pinned *p, struct rings *out)
{
	_cleanup_close_ int rings = open_one(p, "rings"), control = open_one(p, "control");
	_cleanup_close_ int name = open_one(p, "names");
	struct rings_fds fds = { rings, control, name };
	int err = rings < 0 ? rings : control < 0 ? control : name < 0 ? name : 0;

	if (!err)
		err = rings_map(&fds, false, out);
	if (!err && out->control->format != rings_format()) {
		rings_unmap(out);
		err = -EPROTO;
	}
	return err;
}
