// SPDX-License-Identifier: BSD-2-Clause

#include "frames.h"

#include "../../inspect/util/cleanup.h"
#include "../profile/kinds.h"
#include "../session/image.h"
#include "redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct naming_watch {
	struct taken *t;
	const struct take_options *options;
	u32 room; /* of t->frames */
	bool matched;
	int err;
};

/* A copy, or NULL; -ENOMEM is left in @err. */
static const char *keep(const char *text, int *err)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*err = -ENOMEM;
	return copy;
}

static int add_frame(const struct prof_frame *f, u64 pc, void *data)
{
	struct naming_watch *w = data;
	struct taken *t = w->t;
	int err = 0;

	if (t->file.n_frames == w->room) {
		u32 room = w->room ? w->room * 2 : 64;
		struct case_frame *frames = reallocarray(t->frames, room, sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		t->frames = frames;
		w->room = room;
	}
	t->frames[t->file.n_frames++] = (struct case_frame){
		.pc = pc,
		.kind = keep(prof_kind_name(f->kind), &err),
		.name = keep(f->name, &err),
		.file = keep(f->file, &err),
		.module = keep(f->module, &err),
		.build_id = keep(f->build_id, &err),
		.tier = keep(f->tier, &err),
		.reason = keep(f->reason, &err),
		.off = f->has_off ? f->off : 0,
		.line = f->line,
		.column = f->column,
		.inlined = f->inlined,
		.guess = f->guess,
	};
	t->file.frames = t->frames;
	if (f->name && w->options->match && !regexec(w->options->match, f->name, 0, NULL, 0))
		w->matched = true;
	return err;
}

void frames_free(struct case_frame *frames, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		free((char *)frames[i].kind);
		free((char *)frames[i].name);
		free((char *)frames[i].file);
		free((char *)frames[i].module);
		free((char *)frames[i].build_id);
		free((char *)frames[i].tier);
		free((char *)frames[i].reason);
	}
	free(frames);
}

static void on_read(struct target *target, u64 addr, const void *bytes, size_t len)
{
	struct naming_watch *w = target->data;
	enum byte_state state = target->holds == TARGET_OBJECT ? BYTE_NAMED : BYTE_TEXT;
	_cleanup_free_ u8 *blanked = NULL;

	if (w->err)
		return;
	if (target->holds == TARGET_SOURCE && !w->options->raw) {
		blanked = malloc(len);
		if (!blanked) {
			w->err = -ENOMEM;
			return;
		}
		memcpy(blanked, bytes, len);
		redact_source(blanked, len);
		bytes = blanked;
	}
	w->err = pages_put(&w->t->pages, addr, bytes, len, state);
}

int take_frames(struct taken *t, const struct session_stack *stack, const struct take_options *o)
{
	struct naming_watch w = { .t = t, .options = o };
	struct target *memory = &stack->image->memory.target;
	int err;

	memory->data = &w;
	memory->on_read = on_read;
	err = naming_each(stack->naming, stack->process, stack->image, stack->sample, add_frame,
			  &w);
	memory->on_read = NULL;
	if (!err)
		err = w.err;
	return !err && o->match && !w.matched ? -ENOMSG : err;
}
