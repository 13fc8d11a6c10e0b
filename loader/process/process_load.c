/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * process_load(): reads a process from /proc. All values are first stored in a new struct process.
 * The fields that identify the process and its image are read twice, before all others and after
 * them, to detect a change in between:
 *
 *	process		start time
 *	image		the end of its environment: an address on the stack, so it is random,
 *			and 0 until the kernel has laid out the arguments and before that
 *			the mappings (load_elf_binary(), v5.10 to v6.18)
 *
 * A forked child has the stack and the code of its parent until it calls exec. If an image is
 * known only from events, it is identified by the address of its code.
 */

#include "../../inspect/util/clock.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "maps.h"
#include "proc_text.h"

#define MAX_EXEC_NS 1000000000ull /* maximum time from an exec to its first mapping */
#define MAX_TEXT 16384 /* bytes read of a file in /proc/PID; longer files are truncated */

struct proc_text {
	size_t len;
	char text[MAX_TEXT + 1]; /* terminated, too */
};

static int read_proc(u32 pid, const char *file, struct proc_text *t)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	t->len = 0;
	while (t->len < MAX_TEXT) {
		ssize_t n = read(fd, t->text + t->len, MAX_TEXT - t->len);

		if (n < 0)
			return -errno;
		if (!n)
			break;
		t->len += n;
	}
	t->text[t->len] = '\0';
	return 0;
}

static int read_stat(u32 pid, struct proc_text *t, struct proc_stat *stat)
{
	int err = read_proc(pid, "stat", t);

	return err ? err : parse_proc_stat(t->text, t->len, stat);
}

int process_read_ppid(u32 pid, u32 *ppid)
{
	_cleanup_free_ struct proc_text *t = malloc(sizeof(*t));
	struct proc_stat stat;
	int err = t ? read_stat(pid, t, &stat) : -ENOMEM;

	if (!err)
		*ppid = stat.ppid;
	return err;
}

static int load_exe(struct process *p)
{
	char link[64], path[4096 + 1];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%u/exe", p->pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0) /* a kernel thread or a zombie has no executable */
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	p->exe = malloc(len + 1);
	if (!p->exe)
		return -ENOMEM;
	maps_path_unescape(path, len, p->exe);
	return 0;
}

static int load_cgroup(struct process *p, struct proc_text *t)
{
	const char *path;
	size_t len;
	int err = read_proc(p->pid, "cgroup", t);

	if (err == -ESRCH)
		return err;
	if (err || parse_proc_cgroup(t->text, t->len, &path, &len))
		return 0;
	p->cgroup = strndup(path, len);
	if (!p->cgroup)
		return -ENOMEM;
	container_id_of(path, len, p->container);
	return 0;
}

static int load_threads(struct process *p)
{
	char path[64];
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", p->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	for (struct dirent *d; !err && (errno = 0, d = readdir(dir));) {
		unsigned long tid = strtoul(d->d_name, NULL, 10);

		if (tid)
			err = process_add_thread(p, tid, "");
	}
	if (!err)
		err = errno == ENOENT ? -ESRCH : -errno;
	closedir(dir);
	return err;
}

struct mapping_target {
	struct mappings **maps;
	u64 seen_ns;
};

static int add_mapping(const struct maps_entry *e, void *data)
{
	const struct mapping_target *to = data;
	char path[4096 * 4 + 32]; /* large enough if each byte is an escaped newline */
	struct process_mmap_event m = {
		.start_addr = e->start_addr,
		.len = e->end_addr - e->start_addr,
		.file_off = e->file_off,
		.inode = e->inode,
		.dev_major = e->dev_major,
		.dev_minor = e->dev_minor,
		.path = path,
	};
	int err;

	if (e->path_len >= sizeof(path))
		return 0;
	maps_path_unescape(e->path, e->path_len, path);
	err = mappings_add(to->maps, &m, to->seen_ns);
	return err == -ENOMEM ? err : 0;
}

static int load_name(struct process *p, struct proc_text *t)
{
	int err = read_proc(p->pid, "cmdline", t);

	if (err == -ESRCH)
		return err;
	if (err)
		t->len = 0;
	if (t->len == MAX_TEXT)
		t->text[MAX_TEXT - 1] = '\0'; /* the text is truncated inside an argument */
	proc_display_name(t->text, t->len, p->exe ? p->exe : p->comm, p->name, sizeof(p->name));
	return 0;
}

/* Reads all files but stat into a new object. */
static int load_rest(struct process *p, struct proc_text *t)
{
	struct mapping_target to = { &p->maps, p->loaded_ns };
	int err;

	err = read_proc(p->pid, "status", t);
	if (err)
		return err;
	parse_proc_nspid(t->text, t->len, &p->nspid);
	err = load_exe(p);
	if (!err)
		err = load_name(p, t);
	if (!err)
		err = load_cgroup(p, t);
	if (!err)
		err = load_threads(p);
	if (!err)
		err = maps_each_code(p->pid, add_mapping, &to);
	return err;
}

/* Moves the fields that an exec does not change from @fresh to @p. */
static void swap_in_task(struct process *p, struct process *fresh)
{
	struct thread *threads = p->threads;
	char *cgroup = p->cgroup;

	for (u32 i = 0; i < fresh->n_threads; i++) {
		const struct thread *known = process_find_thread(p, fresh->threads[i].tid);

		if (known)
			memcpy(fresh->threads[i].name, known->name, PROCESS_COMM_LEN);
	}
	p->nspid = fresh->nspid;
	p->ppid = fresh->ppid;
	p->start_ns = fresh->start_ns;
	p->is_kernel_thread = fresh->is_kernel_thread;
	memcpy(p->container, fresh->container, sizeof(p->container));
	p->threads = fresh->threads;
	p->n_threads = fresh->n_threads;
	p->cap_threads = fresh->cap_threads;
	p->n_more_threads = fresh->n_more_threads;
	p->cgroup = fresh->cgroup;
	fresh->threads = threads;
	fresh->cgroup = cgroup;
}

static void swap_in_image(struct process *p, struct process *fresh)
{
	struct mappings *maps = p->maps;
	char *exe = p->exe;

	p->loaded_ns = fresh->loaded_ns;
	p->env_end = fresh->env_end;
	memcpy(p->comm, fresh->comm, sizeof(p->comm));
	memcpy(p->name, fresh->name, sizeof(p->name));
	p->exe = fresh->exe;
	p->maps = fresh->maps;
	fresh->exe = exe;
	fresh->maps = maps;
}

/*
 * Whether the exec event has been read, but not yet the event for the first mapping after the exec.
 * That mapping identifies the image.
 */
static bool is_faceless(const struct process *p, u64 now_ns)
{
	return p->exec_ns && !p->env_end && !p->text_end && now_ns < p->exec_ns + MAX_EXEC_NS;
}

/*
 * Checks that @fresh was read from one complete image, and that this is the image that @p is known
 * to have.
 */
static int check_image(const struct process *p, const struct process *fresh,
		       const struct proc_stat *before, const struct proc_stat *after)
{
	if (is_faceless(p, fresh->loaded_ns))
		return -EAGAIN;
	if (p->env_end && p->env_end != after->env_end)
		return -ESTALE;
	if (!after->code_addr || !after->env_end || after->env_end != before->env_end)
		return -EAGAIN;
	if (p->text_end && (after->code_addr < p->text_addr || after->code_addr >= p->text_end))
		return -ESTALE;
	return 0;
}

int process_load(struct process *p)
{
	_cleanup_(process_free) struct process *fresh = process_new(p->pid);
	_cleanup_free_ struct proc_text *t = malloc(sizeof(*t));
	struct proc_stat before, after;
	int err;

	if (!fresh || !t)
		return -ENOMEM;
	fresh->loaded_ns = monotonic_ns();
	err = read_stat(p->pid, t, &before);
	if (err)
		return err;
	fresh->start_ns = before.start_ticks * PROCESS_TICK_NS;
	if (!process_started_at(p, fresh->start_ns))
		return -ESRCH;
	fresh->ppid = before.ppid;
	fresh->is_kernel_thread = before.is_kernel_thread;
	memcpy(fresh->comm, before.comm, sizeof(fresh->comm) - 1);
	err = load_rest(fresh, t);
	if (!err)
		err = read_stat(p->pid, t, &after);
	if (err)
		return err;
	if (after.start_ticks != before.start_ticks)
		return -ESRCH;
	if (after.state == 'Z' && fresh->n_threads <= 1)
		return -ESRCH; /* the process has ended, and its parent has not reaped it yet */
	fresh->env_end = after.env_end;
	swap_in_task(p, fresh);
	if (after.state == 'Z') { /* the leader has exited, but other threads still run */
		if (!p->comm[0])
			memcpy(p->comm, fresh->comm, sizeof(p->comm));
		return 0;
	}
	err = after.is_kernel_thread ? 0 : check_image(p, fresh, &before, &after);
	if (!err)
		swap_in_image(p, fresh);
	return err;
}

const char *process_thread_name(struct process *p, u32 tid)
{
	struct thread *t = process_find_thread(p, tid);
	char path[96], comm[64];
	_cleanup_close_ int fd = -1;
	ssize_t len;

	if (t && t->name[0])
		return t->name;
	if (p->exit_ns)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", p->pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, comm, sizeof(comm) - 1);
	if (len <= 0)
		return NULL;
	comm[comm[len - 1] == '\n' ? len - 1 : len] = '\0';
	if (process_add_thread(p, tid, comm))
		return NULL;
	t = process_find_thread(p, tid);
	return t ? t->name : NULL;
}
