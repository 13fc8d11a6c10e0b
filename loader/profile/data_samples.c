/* SPDX-License-Identifier: BSD-2-Clause */

/* The list of all samples of a profile, with their times. */

#include "data.h"

#include <errno.h>

#include "../../inspect/util/array.h"

#define MAX_SAMPLES (1u << 24)

static enum prof_activity activity_of(const struct prof_data *d, const struct prof_record *rec,
				      const struct data_stack *s)
{
	if (rec->samples.activity != PROF_N_ACTIVITIES)
		return rec->samples.activity;
	return prof_activity_of_kind(s->n_frames ? d->frames[s->frames[0]].kind : PROF_N_KINDS);
}

int data_samples_add(struct prof_data *d, const struct prof_record *rec, u32 cell, u32 stack)
{
	struct data_sample sample = { .cell = cell,
				      .activity = (u8)activity_of(d, rec, &d->stacks[stack]) };
	struct prof_time time = { 0 };
	bool has_times = prof_record_time(rec, &time);
	u64 added = has_times ? rec->samples.count : 1;

	if (d->n_list + added > MAX_SAMPLES)
		return -ENOSPC;
	if (array_reserve(d->list, d->list_room, d->n_list + added))
		return -ENOMEM;
	if (!has_times) {
		sample.count = (u32)rec->samples.count;
		d->list[d->n_list++] = sample;
		return 0;
	}
	sample.has_time = true;
	sample.count = 1;
	do {
		sample.t_us = time.t_us;
		d->list[d->n_list++] = sample;
	} while (prof_record_time(rec, &time));
	return 0;
}
