/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"

#define TABLE_LIMIT (64u << 20)

struct key {
	u32 process, tid;
};

struct thread {
	struct key key;
	u32 name; /* index of the thread's last name, or DATA_NONE */
	bool runs_js;
	u32 idx; /* before sorting */
};

static bool runs_js(const struct prof_data *d, const struct data_stack *s)
{
	for (u32 i = 0; i < s->n_frames; i++)
		if (d->frames[s->frames[i]].kind == PROF_JS)
			return true;
	return false;
}

static int find_threads(const struct prof_data *d, struct threads *t, struct thread *v)
{
	_cleanup_(intern_deinit) struct intern keys = { 0 };

	intern_init(&keys, TABLE_LIMIT);
	for (u32 i = 0; i < d->n_cells; i++) {
		struct data_cell cell = data_cell(d, i);
		struct key key = { cell.process, cell.tid };
		struct thread *thread;
		int r = intern_add(&keys, &key, sizeof(key), &t->of_cell[i]);

		if (r < 0)
			return r;
		thread = &v[t->of_cell[i]];
		if (r == 1)
			*thread = (struct thread){ key, DATA_NONE, false, t->n++ };
		if (cell.thread != DATA_NONE &&
		    (thread->name == DATA_NONE || cell.thread > thread->name))
			thread->name = cell.thread;
		thread->runs_js |= runs_js(d, &d->stacks[cell.stack]);
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->key.process != y->key.process)
		return x->key.process < y->key.process ? -1 : 1;
	return x->key.tid < y->key.tid ? -1 : 1;
}

/* Node.js gives these names to all of its own threads. */
static bool is_common(const char *name)
{
	return !name[0] || !strcmp(name, "node") || !strcmp(name, "WorkerThread");
}

static char *label_of(const struct prof_data *d, const struct thread *t, u32 *n_workers)
{
	const char *name = t->name == DATA_NONE ? NULL : d->threads[t->name];
	char *label;
	int n;

	if (t->key.tid == d->processes[t->key.process].process.pid)
		return strdup("main thread");
	if (!t->runs_js)
		return strdup(name && name[0] ? name : "unnamed");
	n = name && !is_common(name) ? asprintf(&label, "worker %u %s", ++*n_workers, name)
				     : asprintf(&label, "worker %u", ++*n_workers);
	return n < 0 ? NULL : label;
}

int threads_init(const struct prof_data *d, struct threads *t)
{
	_cleanup_free_ struct thread *v = calloc(d->n_cells + 1ul, sizeof(*v));
	u32 n_workers = 0;
	int err;

	*t = (struct threads){ .of_cell = calloc(d->n_cells + 1ul, sizeof(u32)) };
	t->labels = calloc(d->n_cells + 1ul, sizeof(*t->labels));
	if (!v || !t->of_cell || !t->labels)
		return -ENOMEM;
	err = find_threads(d, t, v);
	if (err < 0)
		return err;
	qsort(v, t->n, sizeof(*v), by_key);
	for (u32 i = 0; i < t->n; i++) {
		if (i && v[i].key.process != v[i - 1].key.process)
			n_workers = 0;
		t->labels[v[i].idx] = label_of(d, &v[i], &n_workers);
		if (!t->labels[v[i].idx])
			return -ENOMEM;
	}
	return 0;
}

void threads_deinit(struct threads *t)
{
	for (u32 i = 0; t->labels && i < t->n; i++)
		free(t->labels[i]);
	free(t->labels);
	free(t->of_cell);
	*t = (struct threads){ 0 };
}
