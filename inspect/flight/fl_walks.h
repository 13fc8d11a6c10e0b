/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Groups the entries of a dump into walks, from begin to end, sorted by thread and time. */

#include "fl_dump.h"

struct fl_walk {
	u32 ring; /* index of the walk's ring in the dump's rings */
	u32 pid, tid;
	u32 number; /* number of the walk on its CPU */
	u32 n_steps;
	bool has_end; /* false: the members after begin_ns are unknown */
	u64 first, last; /* indexes of the walk's entries */
	u64 begin_ns;
	u64 took_ns;
	u64 pc;
	u64 status, n_frames, fault_addr, n_reads; /* set if has_end */
};

struct fl_ring_counts {
	u64 read, lost; /* slots */
	u64 orphans; /* entries of walks whose begin entry is lost */
};

struct fl_walks {
	struct fl_walk *v; /* sorted by pid, tid and begin_ns */
	u32 n, room;
	struct fl_ring_counts *rings; /* one for each ring of the dump */
};

/**
 * fl_walks_init() - group the entries of a dump
 * @out:	free with fl_walks_deinit()
 *
 * Return: 0 or -ENOMEM.
 */
int fl_walks_init(const struct fl_dump *d, struct fl_walks *out);
void fl_walks_deinit(struct fl_walks *w);

/* A step or an event of a walk, as viewers draw it. */
struct fl_part {
	const struct fl_entry *entry;
	u64 from_ns, took_ns; /* took_ns is 0 for a point in time */
	bool has_frame; /* for a step: whether the next entry describes the frame */
	u32 frame; /* detail of the next entry: kind, status and flags of the frame */
	u64 id, value;
};

/**
 * fl_walk_each() - visit all parts of a walk except its begin and end, in order
 *
 * The walk's time is divided evenly among the steps, because the clock is read only twice per walk.
 */
void fl_walk_each(const struct fl_dump *d, const struct fl_walk *w,
		  void (*fn)(const struct fl_part *part, void *data), void *data);

/*
 * The length of a walk in the drawing. Viewers add times as floating point, so a slice must not
 * start exactly where another one ends: a step gets at least two nanoseconds, the last of which
 * stays empty.
 */
u64 fl_walk_drawn_ns(const struct fl_walk *w);
