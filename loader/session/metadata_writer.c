// SPDX-License-Identifier: BSD-2-Clause

/*
 * Small tables contain the threads whose lines were written. A newer entry may replace an older
 * one, so a line may be written twice, but this is harmless.
 */

#include "metadata_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_THREADS 4096
#define N_UNSEEN 256

struct known {
	u32 tid;
	u64 start_ns;
};

struct metadata_writer {
	struct profile *profile;
	u32 n_forgotten; /* calls of metadata_writer_forget() */
	struct known threads[N_THREADS], unseen[N_UNSEEN];
};

int metadata_writer_new(struct metadata_writer **a, struct profile *profile)
{
	*a = calloc(1, sizeof(**a));
	if (!*a)
		return -ENOMEM;
	(*a)->profile = profile;
	return 0;
}

void metadata_writer_free(struct metadata_writer **a)
{
	free(*a);
	*a = NULL;
}

static bool is_new(struct known *k, u32 tid, u64 start_ns)
{
	bool is_known = k->tid == tid && k->start_ns == start_ns;

	*k = (struct known){ tid, start_ns };
	return !is_known;
}

static const char *or_null(const char *s)
{
	return s && *s ? s : NULL;
}

bool metadata_writer_must_wait(struct process *p, struct image *im, u64 tick_ns)
{
	if (p->exit_ns || !process_is_unread(p))
		return false;
	if (im->asked_ns != tick_ns)
		im->must_wait = process_load(p) == -EAGAIN;
	im->asked_ns = tick_ns;
	return im->must_wait;
}

static int write_process(struct metadata_writer *a, struct process *p, struct image *im)
{
	const struct runtime_build *runtime;
	struct prof_process line;

	if (im && !im->gen && !p->exit_ns)
		image_update(im); /* for its runtime */
	runtime = im ? image_runtime(im) : NULL;
	line = (struct prof_process){ .pid = p->pid,
				      .nspid = p->nspid ? p->nspid : p->pid,
				      .ppid = p->ppid,
				      .name = *p->name ? p->name : or_null(p->comm),
				      .exe = or_null(p->exe),
				      .runtime = runtime ? runtime->name : NULL,
				      .cgroup = or_null(p->cgroup),
				      .container = or_null(p->container) };
	if (im) {
		im->is_written = true;
		im->n_forgotten = a->n_forgotten;
		memcpy(im->written_name, p->name, sizeof(im->written_name));
	}
	return profile_process(a->profile, &line);
}

/*
 * Writes the line of a process of which only the pid is known, because it ended before /proc was
 * read.
 */
static int write_unseen(struct metadata_writer *a, const struct uw_sample *s)
{
	struct prof_process line = { .pid = s->pid, .nspid = s->pid };

	return is_new(&a->unseen[s->pid % N_UNSEEN], s->pid, s->start_ns)
		       ? profile_process(a->profile, &line)
		       : 0;
}

/* Returns the name of a thread; NULL if the thread ended before its name was read. */
static const char *name_of_thread(struct process *p, u32 tid)
{
	const char *name = p ? process_thread_name(p, tid) : NULL;

	return name || !p || tid != p->pid ? name : or_null(p->comm);
}

/* Writes the line of a thread. A thread without a name has a line, too. */
static int write_thread(struct metadata_writer *a, struct process *p, const struct uw_sample *s)
{
	if (!is_new(&a->threads[s->tid % N_THREADS], s->tid, s->start_ns))
		return 0;
	return profile_thread(a->profile, s->pid, s->tid, name_of_thread(p, s->tid));
}

int metadata_writer_sample(struct metadata_writer *a, struct process *p, const struct uw_sample *s)
{
	struct image *im = p ? p->priv : NULL;
	int err = 0;

	if (!p)
		err = write_unseen(a, s);
	else if (!im || !im->is_written || im->n_forgotten != a->n_forgotten ||
		 strcmp(im->written_name, p->name))
		err = write_process(a, p, im);
	return err ? err : write_thread(a, p, s);
}

void metadata_writer_forget_thread(struct metadata_writer *a, u32 tid)
{
	a->threads[tid % N_THREADS].tid = 0;
}

void metadata_writer_forget(struct metadata_writer *a)
{
	a->n_forgotten++;
	memset(a->threads, 0, sizeof(a->threads));
	memset(a->unseen, 0, sizeof(a->unseen));
}
