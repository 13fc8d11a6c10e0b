/* SPDX-License-Identifier: BSD-2-Clause */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/clock.h"
#include "../../inspect/util/cleanup.h"

#define N_SNAPSHOTS (LIVE_WINDOW_S + 2)

/* All counts at one time. */
struct snapshot {
	u64 time_ns, samples;
	u64 *cells, *processes; /* samples of each cell and of each process */
	u32 n_cells, n_processes;
	struct prof_summary summary;
};

struct live {
	struct prof_reader *reader;
	struct prof_data *all;
	struct snapshot ring[N_SNAPSHOTS];
	u32 n; /* snapshots taken so far; the newest is number n - 1 */
	struct prof_data window; /* owns counts and processes; the rest is of @all */
};

static void snapshot_deinit(struct snapshot *s)
{
	free(s->cells);
	free(s->processes);
	*s = (struct snapshot){ 0 };
}

static int snapshot_take(struct snapshot *s, const struct prof_data *d, u64 now_ns)
{
	snapshot_deinit(s);
	s->cells = malloc((d->n_cells + 1ul) * sizeof(*s->cells));
	s->processes = malloc((d->n_processes + 1ul) * sizeof(*s->processes));
	if (!s->cells || !s->processes)
		return -ENOMEM;
	if (d->n_cells)
		memcpy(s->cells, d->counts, d->n_cells * sizeof(*s->cells));
	for (u32 i = 0; i < d->n_processes; i++)
		s->processes[i] = d->processes[i].samples;
	s->n_cells = d->n_cells;
	s->n_processes = d->n_processes;
	s->samples = d->samples;
	s->summary = d->summary;
	s->time_ns = now_ns;
	return 0;
}

int live_new(struct live **live, struct prof_reader *reader, u64 now_ns)
{
	_cleanup_(live_free) struct live *l = calloc(1, sizeof(*l));
	int err;

	if (!l) {
		prof_reader_free(&reader);
		return -ENOMEM;
	}
	l->reader = reader;
	err = data_new(&l->all);
	if (!err)
		err = snapshot_take(&l->ring[l->n++], l->all, now_ns);
	if (!err)
		*live = TAKE_PTR(l);
	return err;
}

void live_free(struct live **live)
{
	struct live *l = *live;

	if (!l)
		return;
	for (u32 i = 0; i < N_SNAPSHOTS; i++)
		snapshot_deinit(&l->ring[i]);
	free(l->window.counts);
	free(l->window.processes);
	data_free(&l->all);
	prof_reader_free(&l->reader);
	free(l);
	*live = NULL;
}

int live_read(struct live *l, u64 now_ns, u64 lost)
{
	int err;

	prof_reader_resume(l->reader);
	err = data_read_more(l->reader, l->all);
	if (err)
		return err;
	l->all->summary.lost = lost;
	err = snapshot_take(&l->ring[l->n % N_SNAPSHOTS], l->all, now_ns);
	l->n += !err;
	return err;
}

/* The newest snapshot that is at least as old as the window is long, or else the oldest one. */
static const struct snapshot *first_of(const struct live *l)
{
	const struct snapshot *newest = &l->ring[(l->n - 1) % N_SNAPSHOTS], *s = newest;

	for (u32 i = l->n - 1; i > 0 && l->n - i < N_SNAPSHOTS; i--) {
		s = &l->ring[(i - 1) % N_SNAPSHOTS];
		if (newest->time_ns - s->time_ns >= LIVE_WINDOW_S * NS_PER_S - NS_PER_S / 2)
			break;
	}
	return s;
}

static u64 count_of(const struct prof_reasons *r, const char *words)
{
	for (u32 i = 0; i < r->n; i++)
		if (strcmp(r->reasons[i].words, words) == 0)
			return r->reasons[i].count;
	return 0;
}

static void subtract(struct prof_summary *s, const struct prof_summary *old)
{
	s->samples -= old->samples;
	s->lost -= old->lost;
	s->complete -= old->complete;
	s->guessed -= old->guessed;
	s->unresolved -= old->unresolved;
	for (u32 i = 0; i < PROF_N_ACTIVITIES; i++)
		s->by_activity[i] -= old->by_activity[i];
	for (u32 i = 0; i < PROF_N_RUNTIMES; i++)
		s->unwound_by[i] -= old->unwound_by[i];
	for (u32 status = 0; status < PROF_N_STATUSES; status++) {
		struct prof_reasons all = s->reasons[status], *r = &s->reasons[status];

		r->n = 0;
		for (u32 i = 0; i < all.n; i++) {
			struct prof_reason reason = all.reasons[i];

			reason.count -= count_of(&old->reasons[status], reason.words);
			if (reason.count)
				r->reasons[r->n++] = reason;
		}
	}
}

static u64 at(const u64 *v, u32 n, u32 i)
{
	return i < n ? v[i] : 0;
}

int live_move(struct live *l)
{
	const struct snapshot *new = &l->ring[(l->n - 1) % N_SNAPSHOTS], *old = first_of(l);
	u64 *counts = malloc((new->n_cells + 1ul) * sizeof(*counts));
	struct data_process *processes = malloc((new->n_processes + 1ul) * sizeof(*processes));

	if (!counts || !processes) {
		free(counts);
		free(processes);
		return -ENOMEM;
	}
	free(l->window.counts);
	free(l->window.processes);
	l->window = (struct prof_data){ .hz = l->all->hz,
					.counts = counts,
					.processes = processes,
					.n_cells = new->n_cells,
					.n_processes = new->n_processes,
					.samples = new->samples - old->samples,
					.summary = new->summary };
	for (u32 i = 0; i < new->n_cells; i++)
		counts[i] = new->cells[i] - at(old->cells, old->n_cells, i);
	for (u32 i = 0; i < new->n_processes; i++) {
		processes[i] = l->all->processes[i];
		processes[i].samples = new->processes[i] - at(old->processes, old->n_processes, i);
		l->window.n_pids += processes[i].samples != 0;
	}
	subtract(&l->window.summary, &old->summary);
	l->window.summary.duration_ns = new->time_ns - old->time_ns;
	return 0;
}

/* The arrays of @all move when they grow, so they are looked up at each call. */
const struct prof_data *live_window(struct live *l)
{
	struct prof_data *w = &l->window;

	w->threads = l->all->threads;
	w->n_threads = l->all->n_threads;
	w->frames = l->all->frames;
	w->n_frames = l->all->n_frames;
	w->stacks = l->all->stacks;
	w->n_stacks = l->all->n_stacks;
	w->build = l->all->build;
	return w;
}
