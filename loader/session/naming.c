// SPDX-License-Identifier: BSD-2-Clause

/*
 * One frame of the walk may become several frames of the profile, because functions may be inlined
 * into the frame's function, and because a builtin may share the frame of its caller. The lookup of
 * a JavaScript function reads the target, so the names for a token are cached. Two tokens mean the
 * same function if pc, SharedFunctionInfo and bytecode position are equal and at most NAMES_AGE_NS
 * have passed. The leaf, and a function that called a stub, are looked up each time, because the
 * names of these frames also depend on registers.
 */

#include "naming_parts.h"

#include "../profile/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_AGE_NS 100000000ull

_Static_assert(NAMING_MAX_IDS <= PROF_MAX_FRAMES,
	       "the frames of a stack, including inlined functions, must fit into the profile");

int naming_new(struct naming **naming, const struct naming_sources *sources)
{
	struct naming *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->from = *sources;
	*naming = n;
	return 0;
}

void naming_free(struct naming **n)
{
	free(*n);
	*n = NULL;
}

int naming_append(struct naming *n, const struct prof_frame *f)
{
	u32 id;
	int err;

	if (n->fn)
		return n->fn(f, n->pc, n->data);
	if (!n->n_ids)
		n->leaf = f->kind;
	err = profile_frame(n->from.profile, f, &id);
	if (!err && n->n_ids < NAMING_MAX_IDS)
		n->ids[n->n_ids++] = id;
	return err;
}

static int append(const struct prof_frame *f, void *data)
{
	return naming_append(data, f);
}

/*
 * Names a frame of a runtime. If the runtime cannot be read, the files that its JIT wrote are used.
 */
static int append_managed(struct naming *n, struct process *p, struct image *image,
			  const struct uw_sample *s, u32 i, u32 r)
{
	struct runtime *rt = image ? image->runtimes[r] : NULL;
	const struct uw_frame *f = &s->frames[i];
	const char *why = rt ? rt->build->why : NULL;
	struct prof_frame gone;
	int err = why ? naming_jit(n, p, image, s, f) : RUNTIME_GONE;

	if (err > 0 && rt)
		err = runtimes[r]->name(rt, s, i, append, n);
	if (err != RUNTIME_GONE)
		return err;
	n->unresolved |= !why;
	gone = runtime_unnamed(runtimes[r], f, why ? why : "process or thread is gone");
	return naming_append(n, &gone);
}

static int append_frame(struct naming *n, struct process *p, struct image *image,
			const struct uw_sample *s, u32 i)
{
	const struct uw_frame *f = &s->frames[i];
	u32 r = runtime_of_frame(f);

	if (r < N_RUNTIMES)
		return append_managed(n, p, image, s, i, r);
	return f->kind == UW_KERNEL ? naming_kernel(n, f) : naming_native(n, p, image, s, f);
}

/*
 * Names the awaiters of frame @i - 1; the frames of these awaiters begin at frame @i. Sets @i to
 * the last of these awaiters.
 */
static int append_awaiters(struct naming *n, struct image *image, const struct uw_sample *s, u32 *i)
{
	u32 first = *i, r = runtime_of_awaiter(&s->frames[first]);

	while (*i + 1u < s->n_frames && runtime_of_awaiter(&s->frames[*i + 1]) == r)
		++*i;
	if (!image || !image->runtimes[r])
		return 0;
	return runtimes[r]->awaiters(image->runtimes[r], s, first, append, n);
}

static struct naming_cached *cache_slot(struct naming *n, u64 image, const struct uw_frame *f)
{
	u64 hash = image;

	hash = (hash ^ f->pc) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ f->a) * 0x9e3779b97f4a7c15ull;
	hash = (hash ^ f->b) * 0x9e3779b97f4a7c15ull;
	return &n->cache[hash >> 52];
}

static void append_ids(struct naming *n, const u32 *ids, u32 count)
{
	for (u32 i = 0; i < count && n->n_ids < NAMING_MAX_IDS; i++)
		n->ids[n->n_ids++] = ids[i];
}

/* Like append_frame(), but uses cached names. */
static int append_cached(struct naming *n, struct process *p, struct image *image,
			 const struct uw_sample *s, u32 i, u64 now_ns)
{
	const struct uw_frame *f = &s->frames[i];
	bool is_images = f->kind != UW_KERNEL && image && image_runtime(image);
	u64 serial = is_images ? image->serial : 0;
	struct naming_cached *c = cache_slot(n, serial, f);
	u32 before = n->n_ids;
	int err;

	if (c->named_ns && now_ns - c->named_ns < NAMES_AGE_NS && c->image == serial &&
	    !memcmp(&c->token, f, sizeof(*f))) {
		append_ids(n, c->ids, c->n);
		n->implied = c->implied;
		return 0;
	}
	c->named_ns = 0;
	n->is_momentary = false;
	err = append_frame(n, p, image, s, i);
	if (err || n->unresolved || n->is_momentary || n->n_ids - before > NAMING_CACHED_IDS)
		return err; /* do not cache: each stack that lacks a name must report that */
	*c = (struct naming_cached){
		.image = serial,
		.token = *f,
		.named_ns = now_ns,
		.implied = n->implied,
		.n = n->n_ids - before,
	};
	memcpy(c->ids, n->ids + before, c->n * sizeof(*c->ids));
	return 0;
}

int naming_each(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
		naming_fn *fn, void *data)
{
	int err = 0;

	n->fn = fn;
	n->data = data;
	if (image)
		image_forget_names(image);
	for (u32 i = s->n_kernel; !err && i < s->n_frames; i++) {
		n->pc = s->frames[i].pc;
		err = append_frame(n, p, image, s, i);
	}
	n->fn = NULL;
	return err;
}

enum prof_activity naming_classify(const struct image *image, const struct runtime_native *at)
{
	enum prof_activity a = PROF_ACT_NATIVE;

	for (u32 r = 0; image && a == PROF_ACT_NATIVE && r < N_RUNTIMES; r++)
		if (image->runtimes[r] && runtimes[r]->classify)
			a = runtimes[r]->classify(image->runtimes[r], at);
	return a;
}

/*
 * If the leaf is native, the functions between the leaf and the first managed frame determine
 * whether a runtime collects garbage or compiles. If there is no managed frame, the name of the
 * thread determines this.
 */
static enum prof_activity of_native_leaf(struct naming *n, struct process *p,
					 const struct image *image, const struct uw_sample *s)
{
	enum prof_activity a = PROF_ACT_NATIVE;

	if (!image || !image_runtime(image))
		return a;
	for (u32 i = s->n_kernel; i < s->n_frames && a == PROF_ACT_NATIVE; i++) {
		const struct uw_frame *f = &s->frames[i];
		struct runtime_native at = { .module = f->aux, .off = f->a };
		const struct module_info *info;

		if (runtime_of_frame(f) < N_RUNTIMES)
			return a;
		if (f->kind != UW_NATIVE || !f->aux)
			continue;
		info = modules_info(n->from.modules, f->aux);
		at.module_name = info ? info->name : NULL;
		a = naming_classify(image, &at);
	}
	if (a == PROF_ACT_NATIVE && p)
		a = naming_classify(image, &(struct runtime_native){
						   .thread = process_thread_name(p, s->tid) });
	return a;
}

/*
 * The activity of a sample. @does is the activity that the functions before the first managed frame
 * imply by their names.
 */
static enum prof_activity activity_of(struct naming *n, struct process *p,
				      const struct image *image, const struct uw_sample *s,
				      enum prof_activity does)
{
	u32 r = s->n_frames ? runtime_of_frame(&s->frames[0]) : N_RUNTIMES;

	if (s->flags & UW_SAMPLE_IN_KERNEL)
		return PROF_ACT_KERNEL;
	if (r < N_RUNTIMES)
		return prof_activity_of_kind(runtimes[r]->kind);
	if (does != PROF_ACT_NATIVE)
		return does;
	return n->n_ids && n->leaf == PROF_JIT ? PROF_ACT_JIT : of_native_leaf(n, p, image, s);
}

static bool is_fleeting(const struct uw_sample *s, u32 i)
{
	u32 r = runtime_of_frame(&s->frames[i]);

	return i == s->n_kernel || s->frames[i].kind == UW_UNKNOWN ||
	       (r < N_RUNTIMES && runtimes[r]->is_fleeting && runtimes[r]->is_fleeting(s, i));
}

static int enter_stack(struct naming *n, struct process *p, struct image *image,
		       const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	bool is_below = image && image_runtime(image); /* no managed frame was found yet */
	struct prof_stack stack = { .frames = n->ids, .status = s->status };
	enum prof_activity does = PROF_ACT_NATIVE;
	int err = 0;

	n->n_ids = 0;
	n->unresolved = false;
	for (u32 i = 0; !err && i < s->n_frames; i++) {
		n->implied = PROF_ACT_NATIVE;
		is_below &= runtime_of_frame(&s->frames[i]) == N_RUNTIMES;
		if (i && runtime_of_awaiter(&s->frames[i]) < N_RUNTIMES)
			err = append_awaiters(n, image, s, &i);
		else if (is_fleeting(s, i))
			err = append_frame(n, p, image, s, i);
		else
			err = append_cached(n, p, image, s, i, now_ns);
		if (is_below && does == PROF_ACT_NATIVE)
			does = n->implied;
	}
	if (err)
		return err;
	stack.n_frames = n->n_ids;
	result->activity = activity_of(n, p, image, s, does);
	result->unresolved = n->unresolved;
	return profile_stack(n->from.profile, &stack, &result->stack);
}

int naming_stack(struct naming *n, struct process *p, struct image *image,
		 const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	int err = enter_stack(n, p, image, s, now_ns, result);

	if (err != -ESTALE)
		return err;
	memset(n->cache, 0, sizeof(n->cache)); /* the cached frame ids are too old for the
						* profile */
	return enter_stack(n, p, image, s, now_ns, result);
}
