// SPDX-License-Identifier: BSD-2-Clause

#include "fl_walks.h"

#include "../util/array.h"

#include <errno.h>
#include <stdlib.h>

static struct fl_walk *new_walk(struct fl_walks *w)
{
	if (array_reserve(w->v, w->room, w->n + 1))
		return NULL;
	w->v[w->n] = (struct fl_walk){ 0 };
	return &w->v[w->n++];
}

static int begin(struct fl_walks *w, u32 ring, const struct fl_entry *e)
{
	struct fl_walk *walk = new_walk(w);

	if (!walk)
		return -ENOMEM;
	*walk = (struct fl_walk){ .ring = ring,
				  .pid = (u32)(e->d[1] >> 32),
				  .tid = (u32)e->d[1],
				  .number = e->walk,
				  .first = e->index,
				  .last = e->index,
				  .begin_ns = e->d[0],
				  .pc = e->d[2] };
	return 0;
}

static void add(struct fl_walk *walk, const struct fl_entry *e)
{
	walk->last = e->index;
	walk->n_steps += e->event == FLIGHT_STEP;
	if (e->event != FLIGHT_END)
		return;
	walk->has_end = true;
	walk->took_ns = e->took_ns;
	walk->status = e->d[1];
	walk->n_frames = e->d[2];
	walk->fault_addr = e->d[3];
	walk->n_reads = e->d[4];
}

/*
 * A FLIGHT_TRIGGER entry follows the end of the walk; all other entries of a walk precede the end.
 */
static bool belongs(const struct fl_walk *walk, const struct fl_entry *e, u64 lost)
{
	return walk && walk->number == e->walk && !lost &&
	       (!walk->has_end || e->event == FLIGHT_TRIGGER);
}

static int collect(const struct fl_dump *d, u32 ring, struct fl_walks *w)
{
	struct fl_ring_counts *counts = &w->rings[ring];
	struct fl_cursor c = { .is_final = true };
	struct fl_entry e;
	bool is_open = false;
	u64 lost = 0;
	int err = 0;

	while (!err && fl_ring_read(&d->rings[ring].ring, &c, &e) == FL_ENTRY) {
		if (e.event == FLIGHT_BEGIN) {
			err = begin(w, ring, &e);
			is_open = !err;
		} else if (is_open && belongs(&w->v[w->n - 1], &e, c.lost - lost)) {
			add(&w->v[w->n - 1], &e);
		} else if (e.event < FLIGHT_PROCESS) {
			counts->orphans++;
		}
		lost = c.lost;
	}
	counts->read = c.read;
	counts->lost = c.lost;
	return err;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct fl_walk *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

int fl_walks_init(const struct fl_dump *d, struct fl_walks *out)
{
	struct fl_walks w = { .rings = calloc(d->n_rings + 1, sizeof(*w.rings)) };
	int err = w.rings ? 0 : -ENOMEM;

	for (u32 i = 0; i < d->n_rings && !err; i++)
		err = collect(d, i, &w);
	if (err) {
		fl_walks_deinit(&w);
		return err;
	}
	if (w.n)
		qsort(w.v, w.n, sizeof(*w.v), by_thread_and_time);
	*out = w;
	return 0;
}

void fl_walks_deinit(struct fl_walks *w)
{
	free(w->v);
	free(w->rings);
	*w = (struct fl_walks){ 0 };
}

u64 fl_walk_drawn_ns(const struct fl_walk *w)
{
	u64 least = 2ull * w->n_steps + 2;

	return w->took_ns > least ? w->took_ns : least;
}

struct drawing {
	const struct fl_walk *w;
	void (*fn)(const struct fl_part *part, void *data);
	void *data;
	u64 n_steps; /* steps drawn so far */
	struct fl_entry step; /* the last step, whose result is pending; n_words 0: none */
};

/*
 * The time at which step @step starts and the previous step ends. This time is strictly inside the
 * walk.
 */
static u64 step_ns(const struct fl_walk *w, u64 step)
{
	u64 room = fl_walk_drawn_ns(w) - 2;

	return w->begin_ns + 1 + (w->n_steps ? room * step / w->n_steps : 0);
}

/*
 * Draws the pending step. @e: the entry with the step's result, which is the next step or the
 * walk's end; NULL: unknown
 */
static void draw_step(struct drawing *g, const struct fl_entry *e)
{
	struct fl_part part = { .entry = &g->step };

	if (!g->step.n_words)
		return;
	part.from_ns = step_ns(g->w, g->n_steps - 1);
	part.took_ns = step_ns(g->w, g->n_steps) - part.from_ns - 1;
	part.has_frame = e != NULL;
	if (e) {
		part.frame = e->detail;
		part.id = e->event == FLIGHT_STEP ? e->d[3] : 0;
		part.value = e->event == FLIGHT_STEP ? e->d[4] : 0;
	}
	g->fn(&part, g->data);
	g->step.n_words = 0;
}

static void draw(struct drawing *g, const struct fl_entry *e)
{
	struct fl_part point = { .entry = e, .from_ns = step_ns(g->w, g->n_steps) };

	if (e->event == FLIGHT_STEP || e->event == FLIGHT_END)
		draw_step(g, e);
	if (e->event == FLIGHT_STEP) {
		g->step = *e;
		g->step.n_words = e->n_words ? e->n_words : 1;
		g->n_steps++;
	} else if (e->event != FLIGHT_BEGIN && e->event != FLIGHT_END) {
		g->fn(&point, g->data);
	}
}

void fl_walk_each(const struct fl_dump *d, const struct fl_walk *w,
		  void (*fn)(const struct fl_part *part, void *data), void *data)
{
	struct fl_cursor c = { .at = w->first, .is_final = true };
	struct drawing g = { .w = w, .fn = fn, .data = data };
	struct fl_entry e;

	while (c.at <= w->last && fl_ring_read(&d->rings[w->ring].ring, &c, &e) == FL_ENTRY)
		if (e.walk == w->number && e.event < FLIGHT_PROCESS)
			draw(&g, &e);
	draw_step(&g, NULL);
}
