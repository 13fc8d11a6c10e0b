/* SPDX-License-Identifier: BSD-2-Clause */

#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/search.h"
#include "proc_text.h"

/* Longest time between a task's start time and its fork record, including preemption. */
#define MAX_BIRTH_NS 1000000000ull

struct process *process_new(u32 pid)
{
	_cleanup_(process_free) struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->maps = mappings_new();
	return p->maps ? TAKE_PTR(p) : NULL;
}

void process_free(struct process **pp)
{
	struct process *p = *pp;

	*pp = NULL;
	if (!p)
		return;
	mappings_unref(&p->maps);
	free(p->threads);
	free(p->exe);
	free(p->cgroup);
	free(p);
}

static u32 thread_idx(const struct process *p, u32 tid)
{
	return (u32)search_first(p->n_threads, i, p->threads[i].tid < tid);
}

struct thread *process_find_thread(const struct process *p, u32 tid)
{
	u32 i = thread_idx(p, tid);

	return i < p->n_threads && p->threads[i].tid == tid ? &p->threads[i] : NULL;
}

static void set_comm(char *dst, const char *name)
{
	size_t n = strnlen(name, PROCESS_COMM_LEN - 1);

	memcpy(dst, name, n);
	dst[n] = '\0';
}

int process_add_thread(struct process *p, u32 tid, const char *name)
{
	struct thread new = { .tid = tid };
	u32 i = thread_idx(p, tid);

	set_comm(new.name, name); /* copied before p->threads changes, because name may point into
				   * p->threads */
	if (i < p->n_threads && p->threads[i].tid == tid) {
		if (new.name[0])
			p->threads[i] = new;
		return 0;
	}
	if (p->n_threads >= PROCESS_MAX_THREADS) {
		p->n_more_threads++;
		return 0;
	}
	if (array_reserve(p->threads, p->cap_threads, p->n_threads + 1))
		return -ENOMEM;
	memmove(&p->threads[i + 1], &p->threads[i], (p->n_threads - i) * sizeof(*p->threads));
	p->threads[i] = new;
	p->n_threads++;
	return 0;
}

void process_remove_thread(struct process *p, u32 tid)
{
	struct thread *t = process_find_thread(p, tid);

	if (!t) {
		if (p->n_more_threads)
			p->n_more_threads--;
		return;
	}
	p->n_threads--;
	memmove(t, t + 1, (&p->threads[p->n_threads] - t) * sizeof(*t));
}

static void set_name_from_exe(struct process *p)
{
	proc_display_name("", 0, p->exe ? p->exe : p->comm, p->name, sizeof(p->name));
}

bool process_is_unread(const struct process *p)
{
	return p->loaded_ns <= p->exec_ns;
}

int process_exec(struct process *p, const struct process_event *ev)
{
	struct mappings *maps;

	p->n_execs++;
	p->exec_ns = ev->time_ns;
	if (ev->time_ns <= p->loaded_ns) /* the process was read from /proc after the exec */
		return process_add_thread(p, p->pid, ev->comm);
	p->loaded_ns = p->env_end = p->text_addr = p->text_end = 0;
	p->is_kernel_thread = false;
	free(p->exe);
	p->exe = NULL;
	set_comm(p->comm, ev->comm);
	set_name_from_exe(p);
	p->n_threads = p->n_more_threads = 0;
	maps = mappings_new();
	if (!maps)
		return -ENOMEM;
	mappings_unref(&p->maps);
	p->maps = maps;
	return process_add_thread(p, p->pid, ev->comm);
}

/*
 * Takes the first file that is mapped after an exec as the executable, because the kernel maps
 * the executable first, and then the interpreter of the executable.
 */
static int learn_exe(struct process *p, const struct process_mmap_event *m)
{
	if (p->loaded_ns || !p->exec_ns || p->text_end || !m->inode)
		return 0;
	p->text_addr = m->start_addr;
	p->text_end = m->start_addr + m->len;
	if (p->exe || m->path[0] != '/')
		return 0;
	p->exe = strdup(m->path);
	if (!p->exe)
		return -ENOMEM;
	set_name_from_exe(p);
	return 0;
}

int process_mmap(struct process *p, const struct process_event *ev)
{
	int err;

	if (ev->time_ns <= p->loaded_ns)
		return 0;
	err = mappings_add(&p->maps, &ev->mmap, ev->time_ns);
	return err ? err : learn_exe(p, &ev->mmap);
}

int process_fork(struct process *parent, const struct process_event *ev, struct process **out)
{
	_cleanup_(process_free) struct process *p = calloc(1, sizeof(*p));
	const struct thread *t = process_find_thread(parent, ev->fork.ptid);
	int err;

	if (!p)
		return -ENOMEM;
	p->pid = ev->pid;
	p->ppid = ev->fork.ppid;
	p->born_ns = ev->time_ns;
	p->is_kernel_thread = parent->is_kernel_thread;
	p->maps = mappings_ref(parent->maps);
	p->env_end = parent->env_end;
	p->text_addr = parent->text_addr;
	p->text_end = parent->text_end;
	memcpy(p->comm, t && t->name[0] ? t->name : parent->comm, sizeof(p->comm));
	memcpy(p->name, parent->name, sizeof(p->name));
	if (parent->exe && !(p->exe = strdup(parent->exe)))
		return -ENOMEM;
	err = process_add_thread(p, ev->tid, p->comm);
	if (err)
		return err;
	*out = TAKE_PTR(p);
	return 0;
}

/*
 * The time that the machine was suspended, which CLOCK_MONOTONIC omits. The result is never too
 * small.
 */
static u64 boot_ahead_ns(void)
{
	u64 mono_ns = monotonic_ns();

	return clock_ns(CLOCK_BOOTTIME) - mono_ns;
}

u64 process_started_by(const struct process *p)
{
	if (p->start_ns)
		return p->start_ns + PROCESS_TICK_NS - 1;
	return p->born_ns ? p->born_ns + boot_ahead_ns() : NEVER_NS;
}

bool process_started_at(const struct process *p, u64 start_ns)
{
	u64 latest_ns;

	if (p->start_ns)
		return p->start_ns / PROCESS_TICK_NS == start_ns / PROCESS_TICK_NS;
	if (!p->born_ns)
		return true;
	latest_ns = p->born_ns + boot_ahead_ns() + PROCESS_TICK_NS;
	return start_ns <= latest_ns && start_ns + MAX_BIRTH_NS >= latest_ns;
}
