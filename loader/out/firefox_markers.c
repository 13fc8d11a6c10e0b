/* SPDX-License-Identifier: BSD-2-Clause */

/* Markers for garbage collection and compilation. */

#include "firefox.h"

void firefox_marker_schema(struct json_line *l)
{
	json_line_word(l, "markerSchema",
		       "[{\"name\":\"Activity\",\"tooltipLabel\":\"{marker.name}\","
		       "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		       "\"fields\":[{\"key\":\"samples\",\"label\":\"Samples\","
		       "\"format\":\"integer\"}]}]");
}

/* Consecutive samples with one activity, in indices of the list of samples. */
struct run {
	u32 first, end; /* @end: the first sample that doesn't belong to it */
};

static bool is_marked(const struct data_sample *s)
{
	return s->activity == PROF_ACT_GC || s->activity == PROF_ACT_COMPILE;
}

/* Finds the next run at or after @i. Returns false if there is none. */
static bool next_run(const struct firefox *f, const struct model_thread *t, u32 i, struct run *run)
{
	const struct data_sample *list = f->model.data->list;
	u64 gap_us = f->model.period_ns * 3 / 2000;
	u32 end = t->first + t->n;

	while (i < end && !is_marked(&list[i]))
		i++;
	run->first = i;
	for (i++; i < end && list[i].activity == list[run->first].activity &&
		  list[i].t_us - list[i - 1].t_us <= gap_us;)
		i++;
	run->end = i;
	return run->first < end;
}

enum marker_column {
	MARKER_DATA,
	MARKER_NAME,
	MARKER_START,
	MARKER_END,
	MARKER_PHASE,
	MARKER_CATEGORY
};

static void put_marker(struct firefox *f, const struct run *run, const u32 names[2],
		       enum marker_column column)
{
	const struct data_sample *list = f->model.data->list;
	bool is_gc = list[run->first].activity == PROF_ACT_GC;

	switch (column) {
	case MARKER_DATA:
		json_line_open(&f->line, NULL, '{');
		json_line_string(&f->line, "type", "Activity");
		json_line_u64(&f->line, "samples", run->end - run->first);
		json_line_close(&f->line, '}');
		break;
	case MARKER_NAME:
		json_line_u64(&f->line, NULL, names[!is_gc]);
		break;
	case MARKER_START:
		firefox_ms(f, NULL, list[run->first].t_us);
		break;
	case MARKER_END:
		firefox_ms(f, NULL, list[run->end - 1].t_us + f->model.period_ns / 1000);
		break;
	case MARKER_PHASE:
		json_line_u64(&f->line, NULL, 1); /* an interval */
		break;
	case MARKER_CATEGORY:
		json_line_u64(&f->line, NULL, is_gc ? FIREFOX_GC : FIREFOX_COMPILE);
		break;
	}
}

int firefox_markers_put(struct firefox *f, const struct model_thread *t, const u32 names[2])
{
	static const char *const columns[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category" };
	struct run run = { 0 };
	u32 n = 0;
	int err = 0;

	json_line_open(&f->line, "markers", '{');
	for (enum marker_column c = MARKER_DATA; c <= MARKER_CATEGORY; c++) {
		json_line_open(&f->line, columns[c], '[');
		n = 0;
		for (u32 i = t->first; err == 0 && next_run(f, t, i, &run); i = run.end, n++) {
			put_marker(f, &run, names, c);
			err = firefox_drain(f);
		}
		json_line_close(&f->line, ']');
	}
	json_line_u64(&f->line, "length", n);
	json_line_close(&f->line, '}');
	return err;
}
