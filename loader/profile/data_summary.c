/* SPDX-License-Identifier: BSD-2-Clause */
#include "data_summary.h"

void data_summary_add(struct prof_data *d, const struct data_stack *s,
		      const struct prof_record *rec, u64 n)
{
	struct prof_summary *sum = &d->summary;
	enum prof_kind leaf = s->n_frames ? d->frames[s->frames[0]].kind : PROF_N_KINDS;
	bool labelled = rec->samples.activity != PROF_N_ACTIVITIES, guess = false;

	for (u32 i = 0; i < s->n_frames; i++) {
		const struct prof_frame *f = &d->frames[s->frames[i]];

		guess |= f->guess;
		sum->unwound_by[prof_runtime_of_kind(f->kind)] += n;
	}
	sum->samples += n;
	sum->guessed += guess ? n : 0;
	sum->unresolved += rec->samples.unresolved ? n : 0;
	sum->by_activity[labelled ? rec->samples.activity : prof_activity_of_kind(leaf)] += n;
	if (s->status == PROF_COMPLETE)
		sum->complete += n;
	else
		prof_reasons_add(&sum->reasons[s->status], s->reason, n);
}
