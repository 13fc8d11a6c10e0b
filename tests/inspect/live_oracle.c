/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "live_oracle.h"

static json_t *read_line(FILE *out)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, out) > 0)
		if (line[0] == '{')
			return json_loads(line, 0, NULL);
	return NULL;
}

static int new_stack(struct truth_stack *s, size_t n)
{
	s->frames = calloc(n ? n : 1, sizeof(s->frames[0]));
	if (!s->frames)
		return -ENOMEM;
	s->n = n;
	return 0;
}

static int read_stack(struct truth_stack *s, json_t *stack)
{
	int r = new_stack(s, json_array_size(stack));

	for (size_t i = 0; !r && i < s->n; i++) {
		struct truth_frame *f = &s->frames[i];
		json_t *name, *file;
		int line, column;

		if (json_unpack(json_array_get(stack, i), "{s:o, s:o, s:i, s:i}", "name", &name,
				"file", &file, "line", &line, "column", &column) < 0)
			return -EPROTO;
		f->name = json_string_value(name);
		f->file = json_string_value(file);
		f->line = (u32)line;
		f->column = (u32)column;
	}
	return r;
}

static int new_truth(struct truth **t, size_t n)
{
	*t = calloc(1, sizeof(**t));
	if (!*t)
		return -ENOMEM;
	(*t)->stacks = calloc(n ? n : 1, sizeof((*t)->stacks[0]));
	if (!(*t)->stacks)
		return -ENOMEM;
	(*t)->n = n;
	return 0;
}

static int fill(struct truth **t, json_t *json)
{
	json_t *stacks;
	const char *leaf;
	int first, last, r;

	if (json_unpack(json, "{s:{s:s, s:i, s:i}, s:o}", "leaf", "name", &leaf, "first", &first,
			"last", &last, "stacks", &stacks) < 0)
		return -EPROTO;
	r = new_truth(t, json_array_size(stacks));
	for (size_t i = 0; !r && i < (*t)->n; i++)
		r = read_stack(&(*t)->stacks[i], json_array_get(stacks, i));
	if (r)
		return r;
	(*t)->json = json_incref(json);
	(*t)->leaf = leaf;
	(*t)->leaf_first = (u32)first;
	(*t)->leaf_last = (u32)last;
	return 0;
}

int truth_read(struct truth **t, FILE *out)
{
	json_t *json = read_line(out);
	int r = fill(t, json);

	json_decref(json);
	if (r)
		truth_free(t);
	return r;
}

int truth_copy(struct truth **copy, const struct truth *t, u32 lines, u32 columns)
{
	int r = new_truth(copy, t->n);

	for (size_t i = 0; !r && i < t->n; i++) {
		struct truth_stack *s = &(*copy)->stacks[i];

		r = new_stack(s, t->stacks[i].n);
		for (size_t j = 0; !r && j < s->n; j++) {
			s->frames[j] = t->stacks[i].frames[j];
			s->frames[j].line += lines;
			s->frames[j].column += columns;
		}
	}
	if (r) {
		truth_free(copy);
		return r;
	}
	(*copy)->json = json_incref(t->json);
	(*copy)->leaf = t->leaf;
	(*copy)->leaf_first = t->leaf_first;
	(*copy)->leaf_last = t->leaf_last;
	return 0;
}

void truth_free(struct truth **t)
{
	if (!*t)
		return;
	for (size_t i = 0; i < (*t)->n; i++)
		free((*t)->stacks[i].frames);
	json_decref((*t)->json);
	free((*t)->stacks);
	free(*t);
	*t = NULL;
}
