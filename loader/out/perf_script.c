/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes the text of `perf script`, one event for each sample, in the order of time:
 *
 *	server.js 812/813 12.345678: 1 cpu-clock:
 *		0 render /srv/app/view.js:88 (js)
 *		1f [unknown] (/usr/lib/libz.so.1)
 *		0 vfs_write ([kernel.kallsyms])
 *
 * The number after the time is the period, which stackcollapse-perf.pl adds up; it is the number
 * of samples. The hexadecimal number is the offset in the module of a frame without a name, else
 * 0. Readers drop a name that begins with '(', and end a module at a space; such a '(' becomes
 * '<', and such a space '_'.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "model.h"
#include "out.h"

/* The line of each node, of which most lines are written many times. */
struct line {
	char *text;
	size_t len;
};

struct perf_script {
	struct model model;
	struct line *lines;
	char *event; /* text of the event that is written */
	size_t event_room;
	FILE *out;
};

static void perf_script_deinit(struct perf_script *p)
{
	for (u32 i = 0; p->lines && i < p->model.n_nodes; i++)
		free(p->lines[i].text);
	free(p->lines);
	free(p->event);
	model_deinit(&p->model);
}

static void put_module(const char *module, FILE *out)
{
	for (; *module; module++)
		putc(*module == ' ' ? '_' : *module, out);
}

static void put_name(const char *name, FILE *out)
{
	size_t len = strlen(name);

	if (name[0] != '(')
		fputs(name, out);
	else if (name[len - 1] == ')')
		fprintf(out, "<%.*s>", (int)len - 2, name + 1);
	else
		fprintf(out, "<%s", name + 1);
}

/* The symbol and module of a function. */
static void put_function(const struct model_node *node, FILE *out)
{
	const struct prof_frame *f = node->frame;
	const char *kind = prof_kind_name(f->kind);
	bool has_name = f->name && f->name[0];

	fprintf(out, "\t%llx ", has_name ? 0 : f->off);
	if (!has_name && f->module)
		fputs("[unknown]", out);
	else
		put_name(node->name, out);
	if (node->function->has_file && node->function->line)
		fprintf(out, " %s:%u", node->where, node->function->line);
	else if (node->function->has_file)
		fprintf(out, " %s", node->where);
	fputs(" (", out);
	if (f->kind == PROF_KERNEL)
		fputs("[kernel.kallsyms]", out);
	else
		put_module(!node->function->has_file && f->module ? node->where
			   : kind				  ? kind
								  : "unknown",
			   out);
	fputs(")\n", out);
}

static int make_line(const struct model_node *node, struct line *line)
{
	struct text_stream s;
	FILE *out = text_stream_open(&s);

	if (!out)
		return -ENOMEM;
	if (node->function)
		put_function(node, out);
	else
		fprintf(out, "\t0 %s (unspool)\n", node->name);
	return text_stream_close(&s, out, &line->text, &line->len);
}

static int make_lines(struct perf_script *p)
{
	int err = 0;

	p->lines = calloc(p->model.n_nodes + 1ul, sizeof(*p->lines));
	if (!p->lines)
		return -ENOMEM;
	for (u32 i = 0; err == 0 && i < p->model.n_nodes; i++)
		err = make_line(&p->model.nodes[i], &p->lines[i]);
	return err;
}

/* A command that ends in a number would be read as a pid. */
static void put_command(const struct model_thread *t, FILE *out)
{
	put_module(t->process[0] ? t->process : "unnamed", out);
}

/* Copies the lines of the stack into one text, because most time is spent here. */
static int put_event(struct perf_script *p, const struct data_sample *s)
{
	const struct model_thread *t = &p->model.threads[p->model.labels.of_cell[s->cell]];
	u32 path[MODEL_MAX_PATH], n = model_path(&p->model, model_stack(&p->model, s), path);
	size_t len = 0;

	put_command(t, p->out);
	fprintf(p->out, " %u/%u %llu.%06llu: %u cpu-clock:\n", t->pid, t->tid, s->t_us / 1000000,
		s->t_us % 1000000, s->count);
	while (n > 0) {
		const struct line *line = &p->lines[path[--n]];

		if (array_reserve(p->event, p->event_room, len + line->len + 1))
			return -ENOMEM;
		memcpy(p->event + len, line->text, line->len);
		len += line->len;
	}
	p->event[len++] = '\n';
	errno = 0;
	if (fwrite(p->event, 1, len, p->out) != len)
		return errno ? -errno : -EIO;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct data_sample *x = a, *y = b;

	if (x->t_us != y->t_us)
		return x->t_us < y->t_us ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

static int write_perf_script(struct prof_reader *in, FILE *out)
{
	_cleanup_(perf_script_deinit) struct perf_script p = { .out = out };
	struct prof_data *d;
	int err = model_read(in, &p.model);

	if (err == 0)
		err = make_lines(&p);
	if (err < 0)
		return err;
	d = p.model.data;
	qsort(d->list, d->n_list, sizeof(*d->list), by_time);
	for (u32 i = 0; err == 0 && i < d->n_list; i++)
		err = put_event(&p, &d->list[i]);
	return err;
}

const struct out_format out_perf_script = {
	.name = "perf-script",
	.suffix = "perf.txt",
	.holds = PROF_FEATURE(TIMES) | PROF_FEATURE(THREADS) | PROF_FEATURE(REASONS),
	.write = write_perf_script,
};
