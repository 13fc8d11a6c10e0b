/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/utf8.h"

#define TABLE_LIMIT (64u << 20)

u32 model_stack(const struct model *m, const struct data_sample *sample)
{
	return m->stack_of_cell[sample->cell];
}

const char *model_clean(struct model *m, const char *s)
{
	size_t len = strlen(s), n = 0;
	bool is_clean = true;
	char *text;
	u32 cp;

	for (size_t at = 0; at < len; is_clean &= !utf8_is_control(cp))
		at += utf8_decode(s + at, len - at, &cp);
	if (is_clean)
		return s;
	text = arena_alloc(&m->texts, len * UTF8_MAX_LEN + 1);
	for (size_t at = 0; text && at < len;) {
		at += utf8_decode(s + at, len - at, &cp);
		n += utf8_put(utf8_is_control(cp) ? '?' : cp, text + n);
	}
	return text;
}

/* ---- threads and their samples ---- */

static int by_thread_and_time(const void *a, const void *b, void *labels)
{
	const struct data_sample *x = a, *y = b;
	const struct threads *t = labels;
	u32 thread_x = t->of_cell[x->cell], thread_y = t->of_cell[y->cell];

	if (thread_x != thread_y)
		return thread_x < thread_y ? -1 : 1;
	if (x->has_time != y->has_time)
		return x->has_time ? -1 : 1;
	return x->t_us < y->t_us ? -1 : x->t_us > y->t_us;
}

/* A sample without a time follows the one before it in the file. */
static void set_time(struct model *m, const struct model_thread *t, struct data_sample *s)
{
	const struct data_sample *before = s - 1;

	s->t_us = t->n ? before->t_us + before->count * m->period_ns / 1000 : 0;
}

static const char *process_name(struct model *m, const struct prof_process *p)
{
	char text[32];

	if (p->name && p->name[0])
		return model_clean(m, p->name);
	snprintf(text, sizeof(text), "pid %u", p->pid);
	return arena_strdup(&m->texts, text);
}

static int set_thread(struct model *m, const struct data_sample *s, struct model_thread *t)
{
	struct data_cell cell = data_cell(m->data, s->cell);
	const struct prof_process *p = &m->data->processes[cell.process].process;

	t->process = process_name(m, p);
	t->name = model_clean(m, m->labels.labels[m->labels.of_cell[s->cell]]);
	t->pid = p->pid;
	t->tid = cell.tid;
	t->first = (u32)(s - m->data->list);
	return t->process && t->name ? 0 : -ENOMEM;
}

static int find_threads(struct model *m)
{
	struct prof_data *d = m->data;
	int err = threads_init(d, &m->labels);

	if (err < 0)
		return err;
	m->n_threads = m->labels.n;
	m->threads = calloc(m->n_threads, sizeof(*m->threads));
	m->stack_of_cell = calloc(d->n_cells, sizeof(u32));
	if (!m->threads || !m->stack_of_cell)
		return -ENOMEM;
	for (u32 i = 0; i < d->n_cells; i++)
		m->stack_of_cell[i] = data_cell(d, i).stack;
	qsort_r(d->list, d->n_list, sizeof(*d->list), by_thread_and_time, &m->labels);
	for (u32 i = 0; i < d->n_list; i++) {
		u32 idx = m->labels.of_cell[d->list[i].cell];
		struct model_thread *t = &m->threads[idx];

		if (!t->n && set_thread(m, &d->list[i], t) < 0)
			return -ENOMEM;
		if (!d->list[i].has_time)
			set_time(m, t, &d->list[i]);
		t->n++;
		t->count += d->list[i].count;
		if (t->count > m->threads[m->busiest].count)
			m->busiest = idx;
	}
	return 0;
}

/* ---- nodes ---- */

static int add_node(struct model *m, struct model_node node, u32 *idx)
{
	if (array_reserve(m->nodes, m->nodes_room, m->n_nodes + 1))
		return -ENOMEM;
	*idx = m->n_nodes;
	m->nodes[m->n_nodes++] = node;
	return 0;
}

static int add_function(struct model *m, const struct function *f, bool is_async, u32 *idx)
{
	struct model_node node = { NULL, model_clean(m, f->where), f, &m->data->frames[f->frame] };
	const char *name = model_clean(m, f->name);
	char *text;

	if (name && is_async) {
		size_t len = strlen("async ") + strlen(name) + 1;

		text = arena_alloc(&m->texts, len);
		if (text)
			snprintf(text, len, "async %s", name);
		name = text;
	}
	node.name = name;
	return node.name && node.where ? add_node(m, node, idx) : -ENOMEM;
}

static int find_nodes_of_frames(struct model *m)
{
	const struct functions *f = &m->functions;
	_cleanup_free_ u32 *async = malloc((f->n + 1ul) * sizeof(u32));
	u32 idx;
	int err = async ? 0 : -ENOMEM;

	for (u32 i = 0; err == 0 && i < f->n; i++) {
		async[i] = DATA_NONE;
		err = add_function(m, &f->v[i], false, &idx);
	}
	for (u32 i = 0; err == 0 && i < m->data->n_frames; i++) {
		u32 function = f->of_frame[i];

		m->node_of_frame[i] = function;
		if (!m->data->frames[i].async)
			continue;
		if (async[function] == DATA_NONE)
			err = add_function(m, &f->v[function], true, &async[function]);
		m->node_of_frame[i] = async[function];
	}
	return err;
}

/* Makes the text of a stack's end. The caller frees it; NULL if out of memory. */
static char *end_text(const struct data_stack *s)
{
	char *text;
	int n = s->status == PROF_COMPLETE
			? asprintf(&text, "[no frame]")
			: asprintf(&text, "[%s: %s]", prof_status_name(s->status), s->reason);

	return n < 0 ? NULL : text;
}

static int find_end(struct model *m, const struct data_stack *s, struct intern *ends, u32 *end)
{
	_cleanup_free_ char *text = end_text(s);
	u32 n_others = m->n_nodes - ends->n, idx;
	int r = text ? intern_add(ends, text, strlen(text), &idx) : -ENOMEM;

	if (r < 0)
		return r;
	*end = n_others + idx;
	if (r == 1) {
		char *copy = arena_strdup(&m->texts, text);
		const char *name = copy ? model_clean(m, copy) : NULL;

		return name ? add_node(m, (struct model_node){ .name = name }, end) : -ENOMEM;
	}
	return 0;
}

static int find_ends(struct model *m)
{
	_cleanup_(intern_deinit) struct intern ends;
	const struct prof_data *d = m->data;
	int err = 0;

	intern_init(&ends, TABLE_LIMIT);
	for (u32 i = 0; err == 0 && i < d->n_stacks; i++) {
		m->end_of_stack[i] = DATA_NONE;
		if (d->stacks[i].status != PROF_COMPLETE || !d->stacks[i].n_frames)
			err = find_end(m, &d->stacks[i], &ends, &m->end_of_stack[i]);
	}
	return err;
}

static int find_nodes(struct model *m)
{
	int err = functions_init(m->data, true, &m->functions);

	m->node_of_frame = calloc(m->data->n_frames + 1ul, sizeof(u32));
	m->end_of_stack = calloc(m->data->n_stacks + 1ul, sizeof(u32));
	if (err == 0 && (!m->node_of_frame || !m->end_of_stack))
		err = -ENOMEM;
	if (err == 0)
		err = find_nodes_of_frames(m);
	return err < 0 ? err : find_ends(m);
}

u32 model_path(const struct model *m, u32 stack, u32 path[MODEL_MAX_PATH])
{
	const struct data_stack *s = &m->data->stacks[stack];
	u32 n = 0;

	if (m->end_of_stack[stack] != DATA_NONE)
		path[n++] = m->end_of_stack[stack];
	for (u32 k = s->n_frames; k > 0; k--)
		path[n++] = m->node_of_frame[s->frames[k - 1]];
	return n;
}

/* ---- all ---- */

/* Reads "2026-01-02T03:04:05.678901234Z". Returns 0 for anything else. */
static u64 time_of(const char *rfc3339)
{
	struct tm tm = { 0 };
	const char *rest = rfc3339 ? strptime(rfc3339, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	double fraction = rest && *rest == '.' ? strtod(rest, NULL) : 0;

	return rest ? (u64)timegm(&tm) * NS_PER_S + (u64)(fraction * NS_PER_S) : 0;
}

static void set_times(struct model *m)
{
	m->start_ns = time_of(m->data->header.start);
	/* Folded stacks have no rate: a sample counts as one millisecond. */
	m->period_ns = m->data->hz ? NS_PER_S / m->data->hz : 1000000;
	if (!m->period_ns)
		m->period_ns = 1;
}

int model_read(struct prof_reader *in, struct model *m)
{
	int err;

	*m = (struct model){ .in = in };
	err = data_read_samples(in, &m->data);
	if (err < 0)
		return err;
	if (!m->data->samples)
		return prof_reader_fail(in, "the profile has no samples, so nothing is written");
	set_times(m);
	err = find_threads(m);
	if (err == 0)
		err = find_nodes(m);
	return model_table_error(m, err);
}

int model_table_error(struct model *m, int err)
{
	if (err != -ENOSPC)
		return err;
	return prof_reader_fail(m->in, "the profile is too large to convert to this format");
}

void model_deinit(struct model *m)
{
	data_free(&m->data);
	functions_deinit(&m->functions);
	threads_deinit(&m->labels);
	arena_clear(&m->texts);
	free(m->threads);
	free(m->nodes);
	free(m->node_of_frame);
	free(m->stack_of_cell);
	free(m->end_of_stack);
}
