/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_spoil.h"

#include <stdlib.h>
#include <string.h>

#define EVERY 100
#define MIN_FRAMES 4

static bool is_managed(const struct uw_frame *f)
{
	return f->kind != UW_NATIVE && f->kind != UW_UNKNOWN;
}

static void drop(struct uw_sample *s, u32 i)
{
	s->n_frames--;
	memmove(&s->frames[i], &s->frames[i + 1], (s->n_frames - i) * sizeof(s->frames[0]));
}

static void swap(struct uw_frame *a, struct uw_frame *b)
{
	struct uw_frame c = *a;

	*a = *b;
	*b = c;
}

/* The number of innermost frames that are not native. */
static u32 count_managed(const struct uw_sample *s)
{
	u32 n = 0;

	while (n < s->n_frames && is_managed(&s->frames[n]))
		n++;
	return n;
}

/* The outermost function, and the innermost caller that has another one. */
static void rename_frame(struct uw_sample *s, u32 n)
{
	const struct uw_frame *other = NULL;

	for (u32 i = n; i-- > 1;) {
		struct uw_frame *f = &s->frames[i];

		if (f->kind != UW_V8_JS)
			continue;
		if (other && f->a != other->a) {
			f->a = other->a;
			return;
		}
		other = other ? other : f;
	}
}

void step_spoil(struct uw_sample *s)
{
	static u32 n_walks;
	const char *how = getenv("STEP_SPOIL");
	u32 n = count_managed(s);

	if (!how || n < MIN_FRAMES || n_walks++ % EVERY)
		return;
	if (!strcmp(how, "lost")) {
		drop(s, 2);
	} else if (!strcmp(how, "cut")) {
		drop(s, n - 1);
	} else if (!strcmp(how, "invented")) {
		memmove(&s->frames[3], &s->frames[2], (s->n_frames - 3) * sizeof(s->frames[0]));
	} else if (!strcmp(how, "swapped")) {
		swap(&s->frames[n - 1], &s->frames[n - 2]);
	} else if (!strcmp(how, "renamed")) {
		rename_frame(s, n);
	}
}
