/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept.h"

#include <errno.h>
#include <stdlib.h>

#include "kinds.h"

/*
 * Samples per line. Limit of samples per line. It keeps a line far shorter than the longest
 * line that readers accept.
 */
#define LINE_SAMPLES 8192

int kept_init(struct kept *k, size_t bytes)
{
	size_t room = bytes / sizeof(*k->samples);
	struct kept_sample *samples = calloc(room, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	free(k->samples);
	*k = (struct kept){ .samples = samples, .room = room };
	return 0;
}

void kept_deinit(struct kept *k)
{
	free(k->samples);
	*k = (struct kept){ 0 };
}

bool kept_is_full(const struct kept *k)
{
	return k->n == k->room;
}

void kept_add(struct kept *k, const struct kept_sample *s)
{
	k->samples[k->n++] = *s;
}

void kept_forget(struct kept *k)
{
	k->n = 0;
}

static int order(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Compares samples by all fields that must be equal on one line. */
static int compare_line(const struct kept_sample *a, const struct kept_sample *b)
{
	u32 what_a = (u32)(a->activity << 8 | a->unresolved);
	u32 what_b = (u32)(b->activity << 8 | b->unresolved);
	int r = order(a->pid, b->pid);

	if (!r)
		r = order(a->tid, b->tid);
	if (!r)
		r = order(a->stack, b->stack);
	return r ? r : order(what_a, what_b);
}

static int compare(const void *a, const void *b)
{
	const struct kept_sample *x = a, *y = b;
	int r = compare_line(x, y);

	return r ? r : order(x->t_us, y->t_us);
}

static int write_samples(const struct kept_sample *s, size_t n, struct json_line *l, FILE *out)
{
	json_line_start(l, "samples");
	json_line_u64(l, "pid", s->pid);
	json_line_u64(l, "tid", s->tid);
	json_line_u64(l, "stack", s->stack);
	json_line_u64(l, "count", n);
	json_line_open(l, "t", '[');
	for (size_t i = 0; i < n; i++)
		json_line_u64(l, NULL, i ? s[i].t_us - s[i - 1].t_us : s[0].t_us);
	json_line_close(l, ']');
	if (s->label || s->unresolved) {
		json_line_open(l, "labels", '{');
		if (s->label)
			json_line_string(l, "activity", prof_activity_name(s->activity));
		json_line_true(l, "unresolved", s->unresolved);
		json_line_close(l, '}');
	}
	return json_line_write(l, out);
}

int kept_write(struct kept *k, struct json_line *line, FILE *out)
{
	size_t n;

	qsort(k->samples, k->n, sizeof(*k->samples), compare);
	for (size_t at = 0; at < k->n; at += n) {
		const struct kept_sample *s = k->samples + at;

		for (n = 1; at + n < k->n && n < LINE_SAMPLES; n++) {
			if (compare_line(s, s + n) != 0)
				break;
		}

		int err = write_samples(s, n, line, out);

		if (err < 0)
			return err;
	}
	k->n = 0;
	return 0;
}
