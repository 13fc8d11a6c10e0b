// SPDX-License-Identifier: BSD-2-Clause

#include "frames.h"

#include "../../inspect/case/watch.h"
#include "../profile/case_frame.h"
#include "../session/image.h"

#include <errno.h>

struct adding {
	struct taken *t;
	const regex_t *match;
	bool matched;
};

static int add_frame(const struct prof_frame *f, u64 pc, void *data)
{
	struct adding *a = data;
	struct case_frame frame;

	if (f->name && a->match && !regexec(a->match, f->name, 0, NULL, 0))
		a->matched = true;
	frame = case_frame_of(f, pc);
	return case_frames_add(&a->t->frames, &frame);
}

int take_frames(struct taken *t, const struct session_stack *stack, const struct take_options *o)
{
	struct adding a = { .t = t, .match = o->match };
	struct case_watch watch = { .pages = &t->pages, .raw = o->raw };
	struct target *memory = &stack->image->memory[RUNTIME_V8].target;
	int err, kept;

	case_watch_begin(&watch, memory);
	err = naming_each(stack->naming, stack->process, stack->image, stack->sample, add_frame,
			  &a);
	kept = case_watch_end(&watch, memory);
	t->file.frames = t->frames.v;
	t->file.n_frames = t->frames.n;
	if (err || kept)
		return err ? err : kept;
	return o->match && !a.matched ? -ENOMSG : 0;
}
