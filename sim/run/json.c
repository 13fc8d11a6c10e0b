// SPDX-License-Identifier: BSD-2-Clause

/* A walk as a line of JSON: the profile's keys, and each frame's pc. */

#include "run.h"

#include "../stack.h"

#include <errno.h>
#include <jansson.h>

/* NULL: the walk does not know, so the line does not say. */
static const char *profile_kind(u32 kind)
{
	static const char *const kinds[UW_N_KINDS] = {
		[UW_KERNEL] = "kernel", [UW_NATIVE] = "native", [UW_V8_STUB] = "stub",
		[UW_V8_JS] = "js",	[UW_V8_CODE] = "jit",
	};

	return kind < UW_N_KINDS ? kinds[kind] : NULL;
}

static const char *status_class(u32 status)
{
	static const char *const classes[] = { "complete", "truncated", "failed", "frame" };
	static const enum uw_class class_of[] = {
#define X(name, class, words, meaning) UW_CLASS_##class,
		UW_STATUS_LIST(X)
#undef X
	};

	return status < UW_N_STATUS ? classes[class_of[status]] : "?";
}

static json_t *hex(u64 value)
{
	return json_sprintf("0x%llx", value);
}

static json_t *frame_json(const struct uw_frame *f)
{
	const char *kind = profile_kind(f->kind);
	json_t *frame = json_object();

	json_object_set_new(frame, "pc", hex(f->pc));
	if (kind)
		json_object_set_new(frame, "kind", json_string(kind));
	if (f->kind == UW_NATIVE)
		json_object_set_new(frame, "off", hex(f->a));
	if (f->flags & UW_FRAME_GUESS)
		json_object_set_new(frame, "guess", json_true());
	if (f->status)
		json_object_set_new(frame, "reason", json_string(sim_status_words(f->status)));
	return frame;
}

static json_t *run_json(const struct sim_case *c, const char *engine, const struct uw_sample *s,
			bool equal)
{
	json_t *frames = json_array(), *line = json_object();

	for (u32 i = 0; i < s->n_frames; i++)
		json_array_append_new(frames, frame_json(&s->frames[i]));
	json_object_set_new(line, "type", json_string("run"));
	json_object_set_new(line, "case", json_string(c->name));
	json_object_set_new(line, "arch", json_string(c->arch->name));
	json_object_set_new(line, "engine", json_string(engine));
	json_object_set_new(line, "status", json_string(status_class(s->status)));
	if (s->status != UW_END)
		json_object_set_new(line, "reason", json_string(sim_status_words(s->status)));
	json_object_set_new(line, "frames", frames);
	json_object_set_new(line, "equal", json_boolean(equal));
	return line;
}

int sim_run_json(FILE *to, const struct sim_case *c, const char *engine,
		 const struct uw_sample *sample, bool equal)
{
	json_t *line = run_json(c, engine, sample, equal);
	int err;

	if (!line)
		return -ENOMEM;
	err = json_dumpf(line, to, JSON_COMPACT) || fputc('\n', to) == EOF ? -errno : 0;
	json_decref(line);
	return err;
}
