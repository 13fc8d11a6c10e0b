/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes speedscope's own format (https://www.speedscope.app/file-format-schema.json): one
 * "sampled" profile for each thread, with the stacks in the order of time. Consecutive samples
 * with equal stacks become one, whose weight is their number times the sampling period. Without a
 * sampling rate, the weight is the number.
 */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/json_line.h"
#include "model.h"
#include "out.h"

#define DRAIN_LEN (1u << 16)

struct speedscope {
	struct model model;
	struct json_line line;
	FILE *out;
};

static void speedscope_deinit(struct speedscope *s)
{
	model_deinit(&s->model);
	json_line_deinit(&s->line);
}

static int drain(struct speedscope *s)
{
	return s->line.len < DRAIN_LEN ? 0 : json_line_drain(&s->line, s->out);
}

static int put_frames(struct speedscope *s)
{
	struct json_line *l = &s->line;
	int err = 0;

	json_line_open(l, "shared", '{');
	json_line_open(l, "frames", '[');
	for (u32 i = 0; err == 0 && i < s->model.n_nodes; i++) {
		const struct model_node *node = &s->model.nodes[i];

		json_line_open(l, NULL, '{');
		json_line_string(l, "name", node->name);
		if (node->function)
			json_line_string(l, "file", node->where);
		if (node->function && node->function->line)
			json_line_u64(l, "line", node->function->line);
		if (node->function && node->function->column)
			json_line_u64(l, "col", node->function->column);
		json_line_close(l, '}');
		err = drain(s);
	}
	json_line_close(l, ']');
	json_line_close(l, '}');
	return err;
}

/* Returns the number of consecutive samples from @first on that have the same stack. */
static u32 run_of(const struct model *m, const struct model_thread *t, u32 first, u64 *count)
{
	const struct data_sample *list = m->data->list;
	u32 i = first;

	*count = 0;
	for (; i < t->first + t->n && list[i].cell == list[first].cell; i++)
		*count += list[i].count;
	return i - first;
}

static int put_samples(struct speedscope *s, const struct model_thread *t)
{
	u32 path[MODEL_MAX_PATH];
	u64 count;
	int err = 0;

	json_line_open(&s->line, "samples", '[');
	for (u32 i = t->first; err == 0 && i < t->first + t->n;
	     i += run_of(&s->model, t, i, &count)) {
		u32 n = model_path(&s->model, model_stack(&s->model, &s->model.data->list[i]),
				   path);

		json_line_open(&s->line, NULL, '[');
		for (u32 k = 0; k < n; k++)
			json_line_u64(&s->line, NULL, path[k]);
		json_line_close(&s->line, ']');
		err = drain(s);
	}
	json_line_close(&s->line, ']');
	return err;
}

static int put_weights(struct speedscope *s, const struct model_thread *t, u64 weight)
{
	u64 count;
	int err = 0;

	json_line_open(&s->line, "weights", '[');
	for (u32 i = t->first; err == 0 && i < t->first + t->n;) {
		i += run_of(&s->model, t, i, &count);
		json_line_u64(&s->line, NULL, count * weight);
		err = drain(s);
	}
	json_line_close(&s->line, ']');
	return err;
}

static int put_name(struct speedscope *s, const struct model_thread *t)
{
	_cleanup_free_ char *name = NULL;

	if (asprintf(&name, "%s (pid %u): %s (tid %u)", t->process, t->pid, t->name, t->tid) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	json_line_string(&s->line, "name", name);
	return 0;
}

static int put_thread(struct speedscope *s, const struct model_thread *t)
{
	u64 weight = s->model.data->hz ? s->model.period_ns : 1;
	int err;

	json_line_open(&s->line, NULL, '{');
	json_line_string(&s->line, "type", "sampled");
	err = put_name(s, t);
	json_line_string(&s->line, "unit", s->model.data->hz ? "nanoseconds" : "none");
	json_line_u64(&s->line, "startValue", 0);
	json_line_u64(&s->line, "endValue", t->count * weight);
	if (err == 0)
		err = put_samples(s, t);
	if (err == 0)
		err = put_weights(s, t, weight);
	json_line_close(&s->line, '}');
	return err;
}

static int put_profiles(struct speedscope *s)
{
	int err = 0;

	json_line_open(&s->line, "profiles", '[');
	for (u32 i = 0; err == 0 && i < s->model.n_threads; i++)
		err = put_thread(s, &s->model.threads[i]);
	json_line_close(&s->line, ']');
	return err;
}

static int write_speedscope(struct prof_reader *in, FILE *out)
{
	_cleanup_(speedscope_deinit) struct speedscope s = { .out = out };
	int err = model_read(in, &s.model);

	if (err < 0)
		return err;
	json_line_start_untyped(&s.line);
	json_line_string(&s.line, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_line_string(&s.line, "exporter", "unspool@" UNSPOOL_VERSION);
	json_line_string(&s.line, "name", s.model.threads[s.model.busiest].process);
	json_line_u64(&s.line, "activeProfileIndex", s.model.busiest);
	err = put_frames(&s);
	if (err == 0)
		err = put_profiles(&s);
	return err < 0 ? err : json_line_write(&s.line, out);
}

const struct out_format out_speedscope = {
	.name = "speedscope",
	.suffix = "speedscope.json",
	.holds = PROF_FEATURE(THREADS) | PROF_FEATURE(REASONS),
	.write = write_speedscope,
};
