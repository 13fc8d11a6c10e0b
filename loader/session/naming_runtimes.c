// SPDX-License-Identifier: BSD-2-Clause

/* Frames of V8 and of CoreCLR, by the process's own memory; those who wait for them, too. */

#include "naming_parts.h"

#include <errno.h>

static enum prof_kind v8_kind(const struct v8_name *name)
{
	switch (name->kind) {
	case V8_NAME_BUILTIN:
		return PROF_BUILTIN;
	case V8_NAME_STUB:
		return PROF_STUB;
	case V8_NAME_REGEXP:
		return PROF_REGEXP;
	case V8_NAME_WASM:
		return PROF_WASM;
	default:
		return PROF_JS;
	}
}

static int append_v8_name(struct naming *n, const struct v8_name *name, const struct uw_frame *f)
{
	struct prof_frame out = { .kind = v8_kind(name),
				  .name = name->name,
				  .file = name->file,
				  .line = name->line,
				  .column = name->column,
				  .tier = v8_tier_name(name->tier),
				  .inlined = name->inlined,
				  .async = f->flags & UW_FRAME_ASYNC,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = f->pc,
				  .has_off = !name->name,
				  .reason = name->reason };

	return naming_append(n, &out);
}

/*
 * Without a heap only builtins have names. One that is interrupted runs on the frame of the
 * function that called it.
 */
static int name_without_heap(struct naming *n, const struct image *image, const struct uw_sample *s,
			     u32 i)
{
	const struct uw_frame *f = &s->frames[i];
	const char *why = image ? image_v8_why(image) : NULL;
	struct v8_name frame = { .kind = f->kind == UW_V8_STUB ? V8_NAME_STUB : V8_NAME_JS,
				 .reason = why ? why : "process or thread is gone" };
	struct v8_name builtin = { .kind = f->kind == UW_V8_STUB ? V8_NAME_STUB : V8_NAME_BUILTIN };
	int err;

	n->unresolved |= !why;
	if (why)
		builtin.name = image_v8_builtin(image, uw_frame_lookup_pc(f));
	if (!builtin.name)
		return append_v8_name(n, &frame, f);
	err = append_v8_name(n, &builtin, f);
	return !err && i == s->n_kernel && f->kind == UW_V8_JS ? append_v8_name(n, &frame, f) : err;
}

int naming_v8(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	      u32 i)
{
	const struct uw_frame *f = &s->frames[i];
	int n_names = -ESRCH, err = 0;

	if (image && image->heap)
		n_names = v8_heap_name(image->heap, s, i, n->v8);
	if (n_names <= 0) {
		err = naming_jit(n, p, image, s, f);
		return err <= 0 ? err : name_without_heap(n, image, s, i);
	}
	for (int k = 0; !err && k < n_names; k++)
		err = append_v8_name(n, &n->v8[k], f);
	return err;
}

int naming_dotnet(struct naming *n, struct image *image, const struct uw_frame *f)
{
	struct dotnet_runtime *rt = image ? image->dotnet.runtime : NULL;
	struct dotnet_frame *d = &n->dotnet;
	struct prof_frame out = { .kind = f->kind == UW_DOTNET_STUB ? PROF_STUB : PROF_DOTNET,
				  .async = f->flags & UW_FRAME_ASYNC,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = f->pc,
				  .reason = "process or thread is gone" };

	if (rt)
		dotnet_frame_name(d, rt, f);
	else
		n->unresolved = true;
	if (rt) {
		out.kind = d->is_stub ? PROF_STUB : PROF_DOTNET;
		out.name = d->text;
		out.file = d->line.file[0] ? d->line.file : NULL;
		out.line = d->line.line;
		out.module = d->name.module[0] ? d->name.module : NULL;
		out.tier = d->tier;
		out.reason = f->status == UW_OK ? d->reason : naming_reason(f);
	}
	out.has_off = !out.name;
	return naming_append(n, &out);
}

static int append_async(struct naming *n, const struct prof_frame *named)
{
	struct prof_frame out = *named;

	out.kind = PROF_DOTNET;
	out.async = true;
	return naming_append(n, &out);
}

/* An object that waits, if it stands for a method: why not more wait is told in any case. */
static int append_awaiter(struct naming *n, struct image *image, const struct uw_frame *f)
{
	struct dotnet_runtime *rt = image ? image->dotnet.runtime : NULL;
	struct prof_frame why = { .reason = naming_reason(f) };
	struct dotnet_name *name = &n->dotnet.name;
	struct dotnet_awaiter a = {};
	int err = 0;

	if (rt && !dotnet_await_type(rt, f->a, &a) && a.is_method) {
		err = dotnet_await_name(rt, a.machine, name);
		err = append_async(n, &(struct prof_frame){
					      .name = err ? NULL : name->name,
					      .module = err ? NULL : name->module,
					      .reason = name->reason,
				      });
	}
	if (a.are_several)
		why.reason = "several wait for it";
	return err || !why.reason ? err : append_async(n, &why);
}

int naming_awaiters(struct naming *n, struct image *image, const struct uw_sample *s, u32 i,
		    u32 *next)
{
	struct image_dotnet *d = image ? &image->dotnet : NULL;
	struct prof_frame why = {};
	int err = 0;

	for (*next = i; *next < s->n_frames && s->frames[*next].kind == UW_DOTNET_AWAITER;)
		++*next;
	if (!d || !d->awaits || !awaits_are_its(d->awaits, image->all->tables, s, i, &why.reason))
		return why.reason ? append_async(n, &why) : 0;
	if (s->frames[i].status != UW_OK) {
		why.reason = naming_reason(&s->frames[i]);
		return append_async(n, &why);
	}
	for (u32 k = i + 1; !err && k < *next; k++)
		err = append_awaiter(n, image, &s->frames[k]);
	return err;
}
