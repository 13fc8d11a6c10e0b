// SPDX-License-Identifier: BSD-2-Clause

/*
 * One frame of the walk becomes one to many of the profile (functions inlined into
 * it, a builtin without a frame). Looking a JavaScript function up costs reads of
 * the target, so what a token was called is kept for a moment: within NAMES_AGE_NS
 * the same pc, SharedFunctionInfo and bytecode position are the same function.
 * The leaf is named each time, and so is the function that is in a stub: what they are called
 * depends on registers, too.
 */

#include "naming_parts.h"
#include "activity.h"

#include "../profile/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_AGE_NS 100000000ull

_Static_assert(NAMING_MAX_IDS <= PROF_MAX_FRAMES, "a stack the profile takes");

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

const char *naming_reason(const struct uw_frame *f)
{
	return f->status == UW_OK ? NULL : prof_reason_words(f->status);
}

static int append_frame(struct naming *n, struct process *p, struct image *image,
			const struct uw_sample *s, u32 i)
{
	const struct uw_frame *f = &s->frames[i];

	switch (f->kind) {
	case UW_KERNEL:
		return naming_kernel(n, f);
	case UW_V8_STUB:
	case UW_V8_JS:
	case UW_V8_CODE:
		return naming_v8(n, p, image, s, i);
	case UW_DOTNET_METHOD:
	case UW_DOTNET_R2R:
	case UW_DOTNET_STUB:
		return naming_dotnet(n, image, f);
	default:
		return naming_native(n, p, image, s, f);
	}
}

bool naming_is_v8(const struct uw_frame *f)
{
	return f->kind == UW_V8_STUB || f->kind == UW_V8_JS || f->kind == UW_V8_CODE;
}

bool naming_is_dotnet(const struct uw_frame *f)
{
	return f->kind == UW_DOTNET_METHOD || f->kind == UW_DOTNET_R2R || f->kind == UW_DOTNET_STUB;
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

/* The same as append_frame(), by what the token was called a moment ago. */
static int append_cached(struct naming *n, struct process *p, struct image *image,
			 const struct uw_sample *s, u32 i, u64 now_ns)
{
	const struct uw_frame *f = &s->frames[i];
	bool is_images = naming_is_v8(f) || naming_is_dotnet(f);
	u64 serial = is_images && image ? image->serial : 0;
	struct naming_cached *c = cache_slot(n, serial, f);
	u32 before = n->n_ids;
	int err;

	if (c->named_ns && now_ns - c->named_ns < NAMES_AGE_NS && c->image == serial &&
	    !memcmp(&c->token, f, sizeof(*f))) {
		append_ids(n, c->ids, c->n);
		n->told = c->told;
		return 0;
	}
	c->named_ns = 0;
	n->is_momentary = false;
	err = append_frame(n, p, image, s, i);
	if (err || n->unresolved || n->is_momentary || n->n_ids - before > NAMING_CACHED_IDS)
		return err; /* each stack that misses a name has to know */
	*c = (struct naming_cached){
		.image = serial,
		.token = *f,
		.named_ns = now_ns,
		.told = n->told,
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
	if (image && image->heap)
		v8_heap_forget(image->heap);
	for (u32 i = s->n_kernel; !err && i < s->n_frames; i++) {
		n->pc = s->frames[i].pc;
		err = append_frame(n, p, image, s, i);
	}
	n->fn = NULL;
	return err;
}

/* Where a function is depends on what of V8's own it has called, and on registers. */
static bool is_below_stub(const struct uw_sample *s, u32 i)
{
	return i && s->frames[i].kind == UW_V8_JS &&
	       (s->frames[i - 1].kind == UW_V8_STUB || s->frames[i - 1].kind == UW_V8_CODE);
}

static int enter_stack(struct naming *n, struct process *p, struct image *image,
		       const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	bool is_v8s = image && image->build; /* no frame of the program yet */
	struct prof_stack stack = { .frames = n->ids, .status = s->status };
	int err = 0;

	n->n_ids = 0;
	n->unresolved = false;
	n->does = PROF_ACT_NATIVE;
	for (u32 i = 0; !err && i < s->n_frames; i++) {
		n->told = PROF_ACT_NATIVE;
		if (i && s->frames[i].kind == UW_DOTNET_AWAITER) {
			err = naming_awaiters(n, image, s, i, &i);
			i--;
		} else if (i == s->n_kernel || s->frames[i].kind == UW_UNKNOWN ||
			   is_below_stub(s, i))
			err = append_frame(n, p, image, s, i);
		else
			err = append_cached(n, p, image, s, i, now_ns);
		is_v8s &= !naming_is_v8(&s->frames[i]);
		if (is_v8s && n->does == PROF_ACT_NATIVE)
			n->does = n->told;
	}
	if (err)
		return err;
	stack.n_frames = n->n_ids;
	result->activity = activity_of(n->from.modules, p, image, s,
				       n->n_ids ? n->leaf : PROF_NATIVE, n->does);
	result->unresolved = n->unresolved;
	return profile_stack(n->from.profile, &stack, &result->stack);
}

int naming_stack(struct naming *n, struct process *p, struct image *image,
		 const struct uw_sample *s, u64 now_ns, struct naming_result *result)
{
	int err = enter_stack(n, p, image, s, now_ns, result);

	if (err != -ESTALE)
		return err;
	memset(n->cache, 0, sizeof(n->cache)); /* the ids in it are too old */
	return enter_stack(n, p, image, s, now_ns, result);
}
