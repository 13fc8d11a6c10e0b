/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile_counts.h"

#include <stdio.h>

void prof_counts_add(struct prof_counts *c, const struct stack_info *stack,
		     enum prof_activity activity, bool unresolved)
{
	c->samples++;
	c->complete += prof_status_of_walk(stack->status) == PROF_COMPLETE;
	c->guessed += stack->guess;
	c->unresolved += unresolved;
	c->by_status[stack->status]++;
	c->by_activity[activity]++;
	for (u32 i = 0; i < PROF_N_RUNTIMES; i++)
		c->unwound_by[i] += stack->n_frames[i];
}

static void reasons(const struct prof_counts *c, enum prof_status status, struct json_line *l)
{
	json_line_open(l, prof_status_name(status), '{');
	for (u32 i = 0; i < UW_N_STATUS; i++) {
		if (c->by_status[i] && prof_status_of_walk(i) == status)
			json_line_u64(l, prof_reason_words(i), c->by_status[i]);
	}
	json_line_close(l, '}');
}

static void rows(const struct prof_rows *rows, struct json_line *l)
{
	json_line_open(l, "rows", '{');
	json_line_u64(l, "budget", rows->budget);
	json_line_u64(l, "pages", rows->pages);
	json_line_u64(l, "rows", rows->rows);
	json_line_u64(l, "evicted", rows->evicted);
	json_line_u64(l, "refetched", rows->refetched);
	json_line_u64(l, "refused", rows->refused);
	json_line_u64(l, "failed", rows->failed);
	json_line_close(l, '}');
}

/* Example: {"1024": 3} means that three values were from 1,024 to 2,047. */
static void histogram(const char *key, const u64 *buckets, struct json_line *l)
{
	char from[24];

	json_line_open(l, key, '{');
	for (u32 i = 0; i < PROF_N_BUCKETS; i++) {
		snprintf(from, sizeof(from), "%llu", 1ull << i);
		if (buckets[i])
			json_line_u64(l, from, buckets[i]);
	}
	json_line_close(l, '}');
}

static void walks(const struct prof_walks *w, struct json_line *l)
{
	if (!w->n)
		return;
	json_line_open(l, "walks", '{');
	json_line_u64(l, "n", w->n);
	json_line_u64(l, "ns", w->ns);
	json_line_u64(l, "frames", w->frames);
	json_line_u64(l, "uncounted", w->uncounted);
	if (w->entry_ps)
		json_line_u64(l, "entry_ps", w->entry_ps);
	histogram("walk_ns", w->walk_ns, l);
	histogram("frame_ns", w->frame_ns, l);
	json_line_close(l, '}');
}

void prof_counts_line(const struct prof_counts *c, const struct prof_totals *totals,
		      struct json_line *l)
{
	json_line_start(l, "summary");
	json_line_u64(l, "samples", c->samples);
	json_line_u64(l, "lost", totals->lost);
	json_line_u64(l, "lost_events", totals->lost_events);
	json_line_u64(l, "complete", c->complete);
	json_line_u64(l, "guessed", c->guessed);
	json_line_u64(l, "unresolved", c->unresolved);
	reasons(c, PROF_TRUNCATED, l);
	reasons(c, PROF_FAILED, l);
	json_line_open(l, "by_activity", '{');
	for (u32 i = 0; i < PROF_N_ACTIVITIES; i++)
		json_line_u64(l, prof_activity_name(i), c->by_activity[i]);
	json_line_close(l, '}');
	json_line_open(l, "unwound_by", '{');
	for (u32 i = 0; i < PROF_N_RUNTIMES; i++)
		json_line_u64(l, prof_runtime_name(i), c->unwound_by[i]);
	json_line_close(l, '}');
	rows(&totals->rows, l);
	json_line_u64(l, "cpu_ns", totals->cpu_ns);
	json_line_u64(l, "bpf_ns", totals->bpf_ns);
	walks(&totals->walks, l);
	json_line_u64(l, "duration_ns", totals->duration_ns);
}
