/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"

static bool is_wanted(enum query_only only, const struct prof_frame *f, enum origin origin)
{
	switch (only) {
	case QUERY_APP:
		return origin == ORIGIN_APP;
	case QUERY_JS:
		return f->kind == PROF_JS || f->kind == PROF_WASM;
	case QUERY_DOTNET:
		return f->kind == PROF_DOTNET;
	case QUERY_NATIVE:
		return f->kind == PROF_NATIVE;
	case QUERY_KERNEL:
		return f->kind == PROF_KERNEL;
	default:
		return true;
	}
}

static int look_at_frames(struct selection *s, enum query_only only)
{
	const struct prof_data *d = s->data;

	s->is_shown = calloc(d->n_frames + 1ul, sizeof(bool));
	s->origins = calloc(d->n_frames + 1ul, 1);
	if (!s->is_shown || !s->origins)
		return -ENOMEM;
	for (u32 i = 0; i < d->n_frames; i++) {
		enum origin origin = origin_of(d, &d->frames[i]);

		s->origins[i] = (u8)origin;
		s->is_shown[i] = is_wanted(only, &d->frames[i], origin);
	}
	return 0;
}

/* Return: 1 if "name (place)" matches, 0 if not, or -ENOMEM. */
static int matches(const regex_t *re, const struct function *f)
{
	_cleanup_free_ char *place = function_place(f), *label = NULL;

	if (!place || asprintf(&label, "%s (%s)", f->name, place) < 0) {
		label = NULL;
		return -ENOMEM;
	}
	return regexec(re, label, 0, NULL, 0) == 0;
}

static int match_frames(const struct selection *s, const regex_t *re, bool *is_match)
{
	_cleanup_(functions_deinit) struct functions f = { 0 };
	_cleanup_free_ bool *of = NULL;
	int r = functions_init(s->data, false, &f);

	if (r < 0)
		return r;
	of = calloc(f.n + 1ul, sizeof(bool));
	if (!of)
		return -ENOMEM;
	for (u32 i = 0; i < f.n; i++) {
		r = matches(re, &f.v[i]);
		if (r < 0)
			return r;
		of[i] = r;
	}
	for (u32 i = 0; i < s->data->n_frames; i++)
		is_match[i] = of[f.of_frame[i]];
	return 0;
}

static int grep(struct selection *s, const regex_t *re)
{
	const struct prof_data *d = s->data;
	_cleanup_free_ bool *is_match = calloc(d->n_frames + 1ul, sizeof(bool));
	int err;

	s->is_in = calloc(d->n_stacks + 1ul, sizeof(bool));
	if (!is_match || !s->is_in)
		return -ENOMEM;
	err = match_frames(s, re, is_match);
	for (u32 i = 0; err == 0 && i < d->n_stacks; i++) {
		const struct data_stack *stack = &d->stacks[i];

		for (u32 k = 0; k < stack->n_frames; k++)
			s->is_in[i] |= is_match[stack->frames[k]];
	}
	return err;
}

int selection_init(const struct prof_data *d, const struct query *q, const struct groups *g,
		   struct selection *s)
{
	regex_t re;
	int err;

	*s = (struct selection){ .data = d, .groups = g, .folds = q->only == QUERY_APP };
	err = look_at_frames(s, q->only);
	if (err < 0 || !q->grep)
		return err;
	if (regcomp(&re, q->grep, REG_EXTENDED | REG_NOSUB))
		return -EINVAL;
	err = grep(s, &re);
	regfree(&re);
	return err;
}

void selection_deinit(struct selection *s)
{
	free(s->is_shown);
	free(s->is_in);
	free(s->origins);
}

static void add(const struct selection *s, u32 cell, u32 frame, struct selection_path *path)
{
	u32 group = s->groups->of[s->groups->is_by_cell ? cell : frame];

	if (!path->n || path->groups[path->n - 1] != group)
		path->groups[path->n++] = group;
}

bool selection_path(const struct selection *s, u32 cell, struct selection_path *path)
{
	u32 stack_idx = data_cell(s->data, cell).stack;
	const struct data_stack *stack = &s->data->stacks[stack_idx];
	bool is_by_cell = s->groups->is_by_cell;

	path->count = s->data->counts[cell];
	path->n = 0;
	if (!path->count || (s->is_in && !s->is_in[stack_idx]))
		return false;
	path->leaf = stack->n_frames ? s->origins[stack->frames[0]] : ORIGIN_NATIVE;
	path->has_self = s->folds || is_by_cell ||
			 (stack->n_frames && s->is_shown[stack->frames[0]]);
	for (u32 i = 0; i < stack->n_frames; i++) {
		u32 frame = stack->frames[i];

		if (s->is_shown[frame])
			add(s, cell, frame, path);
	}
	if (is_by_cell && !stack->n_frames)
		add(s, cell, 0, path);
	return true;
}

/*
 * In a stack, the async frames are after the awaited function and after the frames of the
 * runtime that resumed this function.
 */
bool selection_awaited(const struct selection *s, u32 cell, struct selection_path *path)
{
	u32 stack_idx = data_cell(s->data, cell).stack, awaited = DATA_NONE, i = 0;
	const struct data_stack *stack = &s->data->stacks[stack_idx];
	const struct prof_frame *frames = s->data->frames;

	for (; i < stack->n_frames && !frames[stack->frames[i]].async; i++)
		if (s->is_shown[stack->frames[i]] && s->origins[stack->frames[i]] < ORIGIN_BUILTIN)
			awaited = stack->frames[i];
	path->count = s->data->counts[cell];
	path->n = 0;
	path->has_self = false;
	if (!path->count || (s->is_in && !s->is_in[stack_idx]) || i == stack->n_frames ||
	    awaited == DATA_NONE)
		return false;
	add(s, cell, awaited, path);
	for (; i < stack->n_frames && frames[stack->frames[i]].async; i++)
		if (s->is_shown[stack->frames[i]])
			add(s, cell, stack->frames[i], path);
	return true;
}
