/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The writer of a profile. The data that the writer keeps in memory, and the limits of this
 * data:
 *
 *	frames, stacks   intern tables; emptied when full, while ids keep increasing
 *	kinds            a ring by frame id: the properties of frames that stacks depend on
 *	infos            a ring by stack id: the properties of stacks that samples depend on
 *	kept             pending samples; written when full
 *
 * The key of a frame consists of the bytes of its fields. JSON is built only for new frames,
 * because most look-ups find an existing frame. There are about ten thousand look-ups per
 * second, at 99 samples per second with 100 frames each.
 */

#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "frame_key.h"
#include "intern.h"
#include "json_line.h"
#include "kept.h"
#include "kinds.h"
#include "lines.h"
#include "profile_counts.h"

#define KIND_GUESS 0x80
#define KIND_ASYNC 0x40

struct profile {
	FILE *out;
	int error;
	struct json_line line;
	struct intern frames, stacks;
	u32 first_frame, first_stack; /* id of key number 0 in each table */
	u32 oldest_frame; /* earlier frames are stale */
	u32 n_frames, n_stacks; /* ids assigned so far */
	u8 *kinds; /* by id & kinds_mask: enum prof_kind, KIND_GUESS, KIND_ASYNC */
	u32 kinds_mask;
	struct stack_info *infos; /* by id & infos_mask */
	u32 infos_mask;
	struct kept kept;
	struct prof_counts counts;
	u8 *key; /* scratch buffer for the key of a frame */
};

/* Stores the first failure only. */
static int fail(struct profile *p, int r)
{
	if (r < 0 && !p->error)
		p->error = r;
	return p->error;
}

static int write_line(struct profile *p)
{
	return fail(p, json_line_write(&p->line, p->out));
}

static u32 power_of_two_below(size_t n)
{
	u32 power = 1;

	while (power <= n / 2 && power < 1u << 31)
		power *= 2;
	return power;
}

/*
 * Divides the budget: frames get 1/4, stacks get 1/2, and each of the other tables gets
 * 1/16. Sorting pending samples needs their memory twice.
 */
int profile_set_budget(struct profile *p, size_t bytes)
{
	u32 n_kinds = power_of_two_below(bytes / 16 / sizeof(*p->kinds));
	u32 n_infos = power_of_two_below(bytes / 16 / sizeof(*p->infos));
	_cleanup_free_ u8 *kinds = calloc(n_kinds, sizeof(*kinds));
	_cleanup_free_ struct stack_info *infos = calloc(n_infos, sizeof(*infos));

	if (bytes < PROF_MIN_BUDGET || p->n_frames || p->n_stacks)
		return -EINVAL;
	if (!kinds || !infos)
		return -ENOMEM;

	int err = kept_init(&p->kept, bytes / 16);

	if (err < 0)
		return err;
	free(p->kinds);
	free(p->infos);
	p->kinds = TAKE_PTR(kinds);
	p->infos = TAKE_PTR(infos);
	p->kinds_mask = n_kinds - 1;
	p->infos_mask = n_infos - 1;
	p->frames.limit = bytes / 4;
	p->stacks.limit = bytes / 2;
	return 0;
}

int profile_new(struct profile **profile, FILE *out, const struct prof_header *header)
{
	_cleanup_(profile_free) struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->out = out;
	p->first_frame = p->first_stack = 1;
	intern_init(&p->frames, 0);
	intern_init(&p->stacks, 0);
	p->key = malloc(FRAME_KEY_MAX);
	if (!p->key)
		return -ENOMEM;

	int err = profile_set_budget(p, PROF_BUDGET);

	if (err == 0) {
		line_header(&p->line, header);
		err = write_line(p);
	}
	if (err < 0)
		return err;
	*profile = TAKE_PTR(p);
	return 0;
}

void profile_free(struct profile **profile)
{
	struct profile *p = *profile;

	if (!p)
		return;
	json_line_deinit(&p->line);
	intern_deinit(&p->frames);
	intern_deinit(&p->stacks);
	kept_deinit(&p->kept);
	free(p->kinds);
	free(p->infos);
	free(p->key);
	free(p);
	*profile = NULL;
}

/*
 * Interns a key. If the table is full, it is emptied first. Stores the key's id in *@id and
 * returns 1 for a new key.
 */
static int intern_id(struct intern *t, u32 *first, u32 *n, const void *key, size_t len, u32 *id)
{
	u32 idx;

	if (*n == ~0u)
		return -EOVERFLOW;

	int r = intern_add(t, key, len, &idx);

	if (r == -ENOSPC) {
		intern_empty(t);
		*first = *n + 1;
		r = intern_add(t, key, len, &idx);
	}
	if (r < 0)
		return r;
	if (r == 1)
		++*n;
	*id = *first + idx;
	return r;
}

int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id)
{
	u32 new_id;

	if (p->error || (u32)f->kind >= PROF_N_KINDS)
		return p->error ?: -EINVAL;

	int r = intern_id(&p->frames, &p->first_frame, &p->n_frames, p->key, frame_key(p->key, f),
			  &new_id);

	if (r < 0)
		return r;
	if (r == 1) {
		p->kinds[new_id & p->kinds_mask] =
			(u8)(f->kind | (f->guess ? KIND_GUESS : 0) | (f->async ? KIND_ASYNC : 0));
		line_frame(&p->line, f, new_id);
		r = write_line(p);
		if (r < 0)
			return r;
	}
	*id = new_id;
	return 0;
}

static int stack_info(const struct profile *p, const struct prof_stack *s, struct stack_info *info)
{
	*info = (struct stack_info){ .status = (u8)s->status, .leaf_kind = PROF_N_KINDS };
	if (prof_status_of_walk(s->status) == PROF_N_STATUSES)
		return -EINVAL;
	if (s->n_frames > PROF_MAX_FRAMES)
		return -E2BIG;
	for (u32 i = 0; i < s->n_frames; i++) {
		u32 id = s->frames[i];

		if (id == 0 || id > p->n_frames)
			return -EINVAL;
		if (p->n_frames - id > p->kinds_mask || id < p->oldest_frame)
			return -ESTALE;

		u8 kind = p->kinds[id & p->kinds_mask];

		bool is_async = kind & KIND_ASYNC;

		info->guess |= (kind & KIND_GUESS) != 0;
		kind &= (u8) ~(KIND_GUESS | KIND_ASYNC);
		info->n_frames[prof_runtime_of_kind(kind)] += !is_async;
		if (i == 0)
			info->leaf_kind = kind;
	}
	return 0;
}

int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id)
{
	struct stack_info info;
	u32 key[PROF_MAX_FRAMES + 1], new_id;

	if (p->error)
		return p->error;

	int r = stack_info(p, s, &info);

	if (r < 0)
		return r;
	key[0] = s->status == UW_OK ? UW_END : s->status;
	if (s->n_frames)
		memcpy(key + 1, s->frames, s->n_frames * sizeof(*key));
	r = intern_id(&p->stacks, &p->first_stack, &p->n_stacks, key,
		      (s->n_frames + 1) * sizeof(*key), &new_id);
	if (r < 0)
		return r;
	if (r == 1) {
		line_stack(&p->line, s, new_id);
		r = write_line(p);
		if (r < 0)
			return r;
	}
	info.id = new_id;
	p->infos[new_id & p->infos_mask] = info;
	*id = new_id;
	return 0;
}

int profile_process(struct profile *p, const struct prof_process *proc)
{
	int err = profile_flush(p);

	if (err < 0)
		return err;
	line_process(&p->line, proc);
	return write_line(p);
}

int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name)
{
	int err = profile_flush(p);

	if (err < 0)
		return err;
	line_thread(&p->line, pid, tid, name);
	return write_line(p);
}

int profile_sample(struct profile *p, u32 pid, u32 tid, u32 stack, u64 t_us,
		   enum prof_activity activity, bool unresolved)
{
	struct kept_sample sample = { .pid = pid,
				      .tid = tid,
				      .stack = stack,
				      .activity = (u8)activity,
				      .unresolved = unresolved,
				      .t_us = t_us };

	if (p->error)
		return p->error;
	if ((u32)activity >= PROF_N_ACTIVITIES)
		return -EINVAL;

	if (stack == 0 || stack > p->n_stacks)
		return -EINVAL;

	const struct stack_info *info = &p->infos[stack & p->infos_mask];

	if (info->id != stack)
		return -ESTALE;
	sample.label = activity != prof_activity_of_kind(info->leaf_kind);
	if (kept_is_full(&p->kept) && profile_flush(p) < 0)
		return p->error;
	kept_add(&p->kept, &sample);
	prof_counts_add(&p->counts, info, activity, unresolved);
	return 0;
}

int profile_flush(struct profile *p)
{
	if (p->error)
		return p->error;

	int err = fail(p, kept_write(&p->kept, &p->line, p->out));

	if (err < 0)
		return err;
	return fail(p, fflush(p->out) == 0 ? 0 : -errno);
}

int profile_finish(struct profile *p, const struct prof_totals *totals)
{
	int err = profile_flush(p);

	if (err < 0)
		return err;
	prof_counts_line(&p->counts, totals, &p->line);
	err = write_line(p);
	return err < 0 ? err : profile_flush(p);
}

int profile_copy(struct profile *p, const struct prof_totals *totals, FILE *to)
{
	char buf[16384];
	off_t at = 0;
	ssize_t n;
	int err = profile_flush(p);

	if (err < 0)
		return err;
	while ((n = pread(fileno(p->out), buf, sizeof(buf), at)) > 0) {
		if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
			return -errno;
		at += n;
	}
	if (n < 0)
		return -errno;
	prof_counts_line(&p->counts, totals, &p->line);
	err = json_line_write(&p->line, to);
	if (err < 0)
		return err;
	return fflush(to) == 0 ? 0 : -errno;
}

int profile_begin_again(struct profile *p, const struct prof_header *header)
{
	int err = p->error;

	if (!err && (fflush(p->out) || ftruncate(fileno(p->out), 0) || fseek(p->out, 0, SEEK_SET)))
		err = fail(p, -errno);
	if (err < 0)
		return err;
	kept_forget(&p->kept);
	intern_empty(&p->frames);
	intern_empty(&p->stacks);
	p->first_frame = p->oldest_frame = p->n_frames + 1;
	p->first_stack = p->n_stacks + 1;
	memset(p->infos, 0, (p->infos_mask + 1ul) * sizeof(*p->infos));
	p->counts = (struct prof_counts){ 0 };
	line_header(&p->line, header);
	return write_line(p);
}

int profile_error(const struct profile *p)
{
	return p->error;
}

u64 profile_n_samples(const struct profile *p)
{
	return p->counts.samples;
}

u64 profile_n_complete(const struct profile *p)
{
	return p->counts.complete;
}
