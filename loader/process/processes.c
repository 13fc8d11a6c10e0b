/* SPDX-License-Identifier: BSD-2-Clause */

#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

#define N_BUCKETS 4096 /* a power of two */

/*
 * A list linked by `older` and `newer`. The list of live processes is unordered; the list of dead
 * processes is sorted by time of exit.
 */
struct list {
	struct process *oldest, *newest;
	u32 n;
};

struct processes {
	struct process *buckets[N_BUCKETS]; /* newest first */
	struct list alive, dead;
	u64 n_forgotten;
	void (*on_free)(struct process *p, void *data);
	void *data;
};

static void list_add(struct list *l, struct process *p)
{
	p->older = l->newest;
	p->newer = NULL;
	*(l->newest ? &l->newest->newer : &l->oldest) = p;
	l->newest = p;
	l->n++;
}

static void list_del(struct list *l, struct process *p)
{
	*(p->older ? &p->older->newer : &l->oldest) = p->newer;
	*(p->newer ? &p->newer->older : &l->newest) = p->older;
	p->older = p->newer = NULL;
	l->n--;
}

static struct process **bucket_of(struct processes *t, u32 pid)
{
	return &t->buckets[pid & (N_BUCKETS - 1)];
}

static void add(struct processes *t, struct process *p)
{
	struct process **bucket = bucket_of(t, p->pid);

	p->in_bucket = *bucket;
	*bucket = p;
	list_add(&t->alive, p);
}

void processes_forget(struct processes *t, struct process *p)
{
	struct process **at = bucket_of(t, p->pid);

	while (*at != p)
		at = &(*at)->in_bucket;
	*at = p->in_bucket;
	list_del(p->exit_ns ? &t->dead : &t->alive, p);
	if (t->on_free)
		t->on_free(p, t->data);
	process_free(&p);
}

static void die(struct processes *t, struct process *p, u64 time_ns)
{
	list_del(&t->alive, p);
	p->exit_ns = time_ns ? time_ns : 1;
	p->n_threads = p->n_more_threads = 0;
	list_add(&t->dead, p);
	if (t->dead.n > PROCESSES_MAX_DEAD) {
		processes_forget(t, t->dead.oldest);
		t->n_forgotten++;
	}
}

int processes_new(struct processes **out, void (*on_free)(struct process *p, void *data),
		  void *data)
{
	struct processes *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->on_free = on_free;
	t->data = data;
	*out = t;
	return 0;
}

void processes_free(struct processes **tp)
{
	struct processes *t = *tp;

	*tp = NULL;
	if (!t)
		return;
	while (t->alive.oldest)
		processes_forget(t, t->alive.oldest);
	while (t->dead.oldest)
		processes_forget(t, t->dead.oldest);
	free(t);
}

struct process *processes_alive(const struct processes *t, u32 pid)
{
	struct process *p = t->buckets[pid & (N_BUCKETS - 1)];

	while (p && (p->pid != pid || p->exit_ns))
		p = p->in_bucket;
	return p;
}

struct process *processes_find(struct processes *t, u32 pid, u64 start_ns)
{
	struct process *best = NULL;

	for (struct process *p = *bucket_of(t, pid); p; p = p->in_bucket) {
		if (p->pid != pid || !process_started_at(p, start_ns))
			continue;
		if (p->start_ns)
			return p;
		/*
		 * Of the processes whose exact start is unknown, choose the one that was born
		 * first.
		 */
		if (!best || p->born_ns < best->born_ns)
			best = p;
	}
	if (best)
		best->start_ns = start_ns - start_ns % PROCESS_TICK_NS;
	return best;
}

int processes_get(struct processes *t, u32 pid, struct process **out)
{
	_cleanup_(process_free) struct process *p = NULL;
	struct process *known = processes_alive(t, pid);
	int err;

	if (known) {
		*out = known;
		return 0;
	}
	if (t->alive.n >= PROCESSES_MAX_ALIVE)
		return -ENOSPC;
	p = process_new(pid);
	if (!p)
		return -ENOMEM;
	err = process_load(p);
	if (err && err != -EAGAIN)
		return err;
	add(t, p);
	*out = TAKE_PTR(p);
	return 0;
}

int processes_scan(struct processes *t)
{
	DIR *dir = opendir("/proc");
	struct process *p;
	int err = 0;

	if (!dir)
		return -errno;
	for (struct dirent *d; !err && (errno = 0, d = readdir(dir));) {
		unsigned long pid = strtoul(d->d_name, NULL, 10);

		if (pid)
			err = processes_get(t, pid, &p);
		if (err == -ESRCH || err == -EACCES)
			err = 0;
	}
	if (!err)
		err = -errno;
	closedir(dir);
	return err;
}

static int apply_fork(struct processes *t, const struct process_event *ev, struct process **out)
{
	struct process *parent = processes_alive(t, ev->fork.ppid);
	struct process *known = processes_alive(t, ev->pid);
	_cleanup_(process_free) struct process *child = NULL;
	int err;

	if (ev->pid == ev->fork.ppid) { /* a thread */
		const struct thread *creator;

		if (!known)
			return 0;
		creator = process_find_thread(known, ev->fork.ptid);
		*out = known;
		return process_add_thread(known, ev->tid, creator ? creator->name : "");
	}
	if (known && ev->time_ns <= known->loaded_ns) { /* the process was already read from
							 * /proc */
		known->born_ns = ev->time_ns;
		*out = known;
		return 0;
	}
	if (known)
		die(t, known, ev->time_ns); /* the exit event of the known process was lost */
	if (!parent)
		return 0;
	if (t->alive.n >= PROCESSES_MAX_ALIVE)
		return -ENOSPC;
	err = process_fork(parent, ev, &child);
	if (err)
		return err;
	add(t, child);
	*out = TAKE_PTR(child);
	return 0;
}

static int apply_exit(struct processes *t, const struct process_event *ev, struct process **out)
{
	struct process *p = processes_alive(t, ev->pid);

	if (!p)
		return 0;
	*out = p;
	process_remove_thread(p, ev->tid);
	if (!p->n_threads && !p->n_more_threads)
		die(t, p, ev->time_ns);
	return 0;
}

static int apply_comm(struct process *p, const struct process_event *ev)
{
	if (ev->time_ns <= p->loaded_ns)
		return 0;
	if (ev->tid == p->pid)
		memcpy(p->comm, ev->comm, sizeof(p->comm));
	return process_add_thread(p, ev->tid, ev->comm);
}

int processes_apply(struct processes *t, const struct process_event *ev, struct process **out)
{
	struct process *p = processes_alive(t, ev->pid);

	*out = NULL;
	switch (ev->type) {
	case PROCESS_FORK:
		return apply_fork(t, ev, out);
	case PROCESS_EXIT:
		return apply_exit(t, ev, out);
	case PROCESS_LOST:
		return 0;
	case PROCESS_COMM:
		*out = p;
		return p ? apply_comm(p, ev) : 0;
	case PROCESS_EXEC:
		*out = p;
		return p ? process_exec(p, ev) : 0;
	case PROCESS_MMAP:
		*out = p;
		return p ? process_mmap(p, ev) : 0;
	}
	return -EINVAL;
}

/*
 * Adds the processes in /proc whose parents are in the table. Return: the number of added processes
 * or a negative errno.
 */
static int adopt_children(struct processes *t)
{
	DIR *dir = opendir("/proc");
	struct process *p;
	int err = 0, n = 0;

	if (!dir)
		return -errno;
	for (struct dirent *d; !err && (errno = 0, d = readdir(dir));) {
		u32 pid = strtoul(d->d_name, NULL, 10), ppid;

		if (!pid || processes_alive(t, pid) || process_read_ppid(pid, &ppid) ||
		    !processes_alive(t, ppid))
			continue;
		err = processes_get(t, pid, &p);
		if (!err)
			n++;
		else if (err == -ESRCH || err == -EACCES)
			err = 0;
	}
	if (!err)
		err = -errno;
	closedir(dir);
	return err ? err : n;
}

/*
 * Reads a process again after events were lost. If one of them was an exec of the process, the
 * image has changed, or is not readable yet.
 */
static int load_again(struct process *p, u64 now_ns)
{
	struct process_event exec = { .type = PROCESS_EXEC, .time_ns = now_ns, .pid = p->pid };
	int err = process_load(p);

	if (err == -ESTALE) {
		memcpy(exec.comm, p->comm, sizeof(exec.comm)); /* keep the old name until the new
								* name is known */
		p->loaded_ns = 0;
		err = process_exec(p, &exec);
		p->exec_ns = 0; /* accept the current image, because no mapping event will follow */
		if (!err)
			err = process_load(p);
		p->exec_ns = now_ns;
	}
	return err == -EAGAIN ? 0 : err;
}

int processes_resync(struct processes *t)
{
	u64 now_ns = monotonic_ns();
	int n = 0;

	for (struct process *p = t->alive.oldest, *next; p; p = next) {
		int err = load_again(p, now_ns);

		next = p->newer;
		if (err == -ESRCH)
			die(t, p, now_ns);
		else if (err && err != -EACCES)
			return err;
	}
	/*
	 * Repeat, because a grandchild may precede its parent in /proc. The number of repetitions
	 * is limited, because a fork bomb would never let the loop end.
	 */
	for (int i = 0; i < 4 && (n = adopt_children(t)) > 0; i++)
		;
	return n < 0 ? n : 0;
}

void processes_reap(struct processes *t, u64 before_ns)
{
	while (t->dead.oldest && t->dead.oldest->exit_ns < before_ns)
		processes_forget(t, t->dead.oldest);
}

void processes_each_alive(const struct processes *t, void (*fn)(struct process *p, void *data),
			  void *data)
{
	for (struct process *p = t->alive.oldest; p; p = p->newer)
		fn(p, data);
}

u32 processes_n_alive(const struct processes *t)
{
	return t->alive.n;
}

u32 processes_n_dead(const struct processes *t)
{
	return t->dead.n;
}

u64 processes_n_forgotten(const struct processes *t)
{
	return t->n_forgotten;
}
