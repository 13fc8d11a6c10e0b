/* SPDX-License-Identifier: BSD-2-Clause */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../query/functions.h"

#define TABLE_LIMIT (256u << 20)

/* Self and total of a function or of one line of it. */
struct weight {
	u64 self, total;
	u32 seen; /* the stack that was counted last, + 1 */
};

struct line_key {
	u32 function, line;
};

struct sums {
	const struct prof_data *data;
	struct functions functions;
	struct intern lines; /* struct line_key */
	u32 *line_of_frame;
	struct weight *function_weights, *line_weights;
};

static void sums_deinit(struct sums *s)
{
	functions_deinit(&s->functions);
	intern_deinit(&s->lines);
	free(s->line_of_frame);
	free(s->function_weights);
	free(s->line_weights);
}

static int number_lines(struct sums *s)
{
	u32 n = s->data->n_frames;
	int r = functions_init(s->data, false, &s->functions);

	if (r < 0)
		return r;
	intern_init(&s->lines, TABLE_LIMIT);
	s->line_of_frame = calloc(n + 1ul, sizeof(u32));
	if (!s->line_of_frame)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		const struct prof_frame *f = &s->data->frames[i];
		struct line_key line = { s->functions.of_frame[i], f->file ? f->line : 0 };

		r = intern_add(&s->lines, &line, sizeof(line), &s->line_of_frame[i]);
		if (r < 0)
			return r;
	}
	s->function_weights = calloc(s->functions.n + 1ul, sizeof(struct weight));
	s->line_weights = calloc(s->lines.n + 1ul, sizeof(struct weight));
	return s->function_weights && s->line_weights ? 0 : -ENOMEM;
}

static void count(struct weight *w, u32 stack, bool is_leaf, u64 n)
{
	if (is_leaf)
		w->self += n;
	if (w->seen != stack + 1)
		w->total += n;
	w->seen = stack + 1;
}

static void count_stack(struct sums *s, u32 i)
{
	const struct data_stack *stack = &s->data->stacks[i];

	for (u32 k = 0; k < stack->n_frames; k++) {
		u32 frame = stack->frames[k];

		count(&s->function_weights[s->functions.of_frame[frame]], i, k == 0,
		      stack->samples);
		count(&s->line_weights[s->line_of_frame[frame]], i, k == 0, stack->samples);
	}
}

static bool is_heavier(const struct weight *a, const struct weight *b)
{
	return a->self != b->self ? a->self > b->self : a->total > b->total;
}

/* The heaviest line of each function. */
static int choose_lines(const struct sums *s, struct report_functions *out)
{
	_cleanup_free_ u32 *best = calloc(s->functions.n + 1ul, sizeof(*best));

	if (!best)
		return -ENOMEM;
	for (u32 i = 0; i < s->lines.n; i++) {
		size_t len;
		const struct line_key *key = intern_key(&s->lines, i, &len);
		u32 *b = &best[key->function];

		if (!key->line ||
		    (*b && !is_heavier(&s->line_weights[i], &s->line_weights[*b - 1])))
			continue;
		*b = i + 1;
		out->functions[key->function].line = key->line;
	}
	return 0;
}

/* No two are equal: qsort() without memory does not keep the order of what is. */
static int compare(const void *a, const void *b)
{
	const struct report_function *x = a, *y = b;
	int order;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->where, y->where);
}

static int make_functions(const struct sums *s, struct report_functions *out)
{
	out->functions = calloc(s->functions.n + 1ul, sizeof(*out->functions));
	if (!out->functions)
		return -ENOMEM;
	for (; out->n < s->functions.n; out->n++) {
		const struct function *from = &s->functions.v[out->n];
		struct report_function *f = &out->functions[out->n];

		f->name = strdup(from->name);
		f->where = function_place(from);
		f->has_line = from->has_file && !from->line;
		f->self = s->function_weights[out->n].self;
		f->total = s->function_weights[out->n].total;
		if (!f->name || !f->where) {
			out->n++;
			return -ENOMEM;
		}
	}
	return choose_lines(s, out);
}

int report_functions_from_data(const struct prof_data *d, struct report_functions *functions)
{
	_cleanup_(sums_deinit) struct sums s = { .data = d };
	struct report_functions out = { 0 };
	int r = number_lines(&s);

	for (u32 i = 0; r == 0 && i < d->n_stacks; i++)
		count_stack(&s, i);
	if (r == 0)
		r = make_functions(&s, &out);
	if (r < 0) {
		report_functions_deinit(&out);
		return r;
	}
	qsort(out.functions, out.n, sizeof(*out.functions), compare);
	*functions = out;
	return 0;
}

void report_functions_deinit(struct report_functions *f)
{
	for (u32 i = 0; i < f->n; i++) {
		free(f->functions[i].name);
		free(f->functions[i].where);
	}
	free(f->functions);
	*f = (struct report_functions){ 0 };
}
