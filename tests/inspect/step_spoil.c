/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_spoil.h"

#include <stdlib.h>
#include <string.h>

#define EVERY 100
#define MIN_FRAMES 4

typedef bool names_fn(void *data, const struct uw_sample *good);

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

/* Returns the number of frames inside of the innermost native frame. */
static u32 count_managed(const struct uw_sample *s)
{
	u32 n = 0;

	while (n < s->n_frames && is_managed(&s->frames[n]))
		n++;
	return n;
}

/*
 * Index of the innermost of the @n frames with another pc than the innermost caller; 0: none.
 */
static u32 other_caller(const struct uw_sample *s, u32 n)
{
	for (u32 i = 2; i < n; i++)
		if (s->frames[i].pc != s->frames[1].pc)
			return i;
	return 0;
}

/*
 * Replaces the function of one caller by that of another frame, so that the caller's name changes.
 */
static bool rename_frame(struct uw_sample *s, u32 n, names_fn *has_other_names, void *data)
{
	static struct uw_sample good;

	good = *s;
	for (u32 i = n; i-- > 1;) {
		for (u32 k = 0; k < n && s->frames[i].kind == UW_V8_JS; k++) {
			if (s->frames[k].kind != UW_V8_JS)
				continue;
			s->frames[i].a = good.frames[k].a;
			if (has_other_names(data, &good))
				return true;
			s->frames[i].a = good.frames[i].a;
		}
	}
	return false;
}

static bool spoil(struct uw_sample *s, u32 n, names_fn *has_other_names, void *data)
{
	const char *how = getenv("STEP_SPOIL");
	u32 i = other_caller(s, n);

	if (!strcmp(how, "renamed"))
		return has_other_names && rename_frame(s, n, has_other_names, data);
	if (!i || s->frames[n - 1].pc == s->frames[n - 2].pc)
		return false;
	if (!strcmp(how, "lost"))
		drop(s, i);
	else if (!strcmp(how, "cut"))
		drop(s, n - 1);
	else if (!strcmp(how, "invented"))
		memmove(&s->frames[i + 1], &s->frames[i],
			(s->n_frames - i - 1) * sizeof(s->frames[0]));
	else if (!strcmp(how, "swapped"))
		swap(&s->frames[n - 1], &s->frames[n - 2]);
	else
		return false;
	return true;
}

bool step_spoil(struct uw_sample *s, names_fn *has_other_names, void *data)
{
	static u32 n_walks, n_spoiled;
	u32 n = count_managed(s);

	if (!getenv("STEP_SPOIL") || n_spoiled * EVERY > n_walks++ || n < MIN_FRAMES ||
	    !spoil(s, n, has_other_names, data))
		return false;
	n_spoiled++;
	return true;
}
