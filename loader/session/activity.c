// SPDX-License-Identifier: BSD-2-Clause

#include "activity.h"

#include <string.h>

#include "naming.h"

struct told {
	const char *name;
	enum prof_activity activity;
};

/*
 * CoreCLR's own threads, as far as a thread's name reaches (15 bytes). Source: coreclr
 * src/coreclr/gc/gc.cpp and vm/tieredcompilation.cpp at v8.0.33 to v10.0.14.
 */
static const struct told dotnet_threads[] = {
	{ ".NET Server GC", PROF_ACT_GC },
	{ ".NET BGC", PROF_ACT_GC },
	{ ".NET Tiered Com", PROF_ACT_COMPILE },
	{},
};

/* Libraries that CoreCLR loads by these names. */
static const struct told dotnet_modules[] = {
	{ "libclrjit.so", PROF_ACT_COMPILE },
	{ "libclrgc.so", PROF_ACT_GC },
	{ "libclrgcexp.so", PROF_ACT_GC },
	{},
};

/* @name may be NULL. */
static enum prof_activity told_by(const struct told *t, const char *name)
{
	for (; name && t->name; t++)
		if (!strcmp(name, t->name))
			return t->activity;
	return PROF_ACT_NATIVE;
}

static enum prof_activity of_dotnet_frame(struct modules *modules, const struct image_dotnet *d,
					  const struct uw_frame *f)
{
	const struct module_info *info;

	if (f->kind != UW_NATIVE || !f->aux)
		return PROF_ACT_NATIVE;
	if (f->aux == d->module)
		return dotnet_build_is_gc(d->build, f->a) ? PROF_ACT_GC : PROF_ACT_NATIVE;
	info = modules_info(modules, f->aux);
	return told_by(dotnet_modules, info ? info->name : NULL);
}

static enum prof_activity of_native_leaf(struct modules *modules, struct process *p,
					 const struct image *image, const struct uw_sample *s)
{
	enum prof_activity a = PROF_ACT_NATIVE;

	if (!image || !image->dotnet.build)
		return a;
	for (u32 i = s->n_kernel; i < s->n_frames && a == PROF_ACT_NATIVE; i++) {
		if (naming_is_dotnet(&s->frames[i]))
			return a;
		a = of_dotnet_frame(modules, &image->dotnet, &s->frames[i]);
	}
	if (a == PROF_ACT_NATIVE && p)
		a = told_by(dotnet_threads, process_thread_name(p, s->tid));
	return a;
}

enum prof_activity activity_of(struct modules *modules, struct process *p,
			       const struct image *image, const struct uw_sample *s,
			       enum prof_kind leaf, enum prof_activity v8)
{
	if (s->flags & UW_SAMPLE_IN_KERNEL)
		return PROF_ACT_KERNEL;
	if (s->n_frames && naming_is_dotnet(&s->frames[0]))
		return PROF_ACT_DOTNET;
	if (s->n_frames && naming_is_v8(&s->frames[0]))
		return PROF_ACT_JS;
	if (v8 != PROF_ACT_NATIVE)
		return v8;
	return leaf == PROF_JIT ? PROF_ACT_JIT : of_native_leaf(modules, p, image, s);
}
