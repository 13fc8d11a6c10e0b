// SPDX-License-Identifier: BSD-2-Clause

/* Prints a walk as a line of JSON, with the same keys as a profile, and with each frame's pc. */

#include "run.h"

#include "../../inspect/case/case.h"
#include "../case/stack.h"
#include "../cmd/json_line.h"
#include "../recorded/load.h"

static json_t *frame_json(const struct uw_frame *f)
{
	const char *kind = case_profile_kind(f->kind);
	json_t *frame = json_object();

	json_object_set_new(frame, "pc", sim_json_hex(f->pc));
	if (kind)
		json_object_set_new(frame, "kind", json_string(kind));
	if (f->kind == UW_NATIVE)
		json_object_set_new(frame, "off", sim_json_hex(f->a));
	if (f->flags & UW_FRAME_GUESS)
		json_object_set_new(frame, "guess", json_true());
	if (f->status)
		json_object_set_new(frame, "reason", json_string(sim_status_words(f->status)));
	return frame;
}

static json_t *run_json(const struct sim_result *result)
{
	const struct uw_sample *s = result->sample;
	json_t *frames = json_array(), *line = json_object();

	for (u32 i = 0; i < s->n_frames; i++)
		json_array_append_new(frames, frame_json(&s->frames[i]));
	json_object_set_new(line, "type", json_string("run"));
	json_object_set_new(line, "case", json_string(result->c->name));
	json_object_set_new(line, "arch", json_string(result->c->arch->name));
	json_object_set_new(line, "engine", json_string(result->engine));
	json_object_set_new(line, "status", json_string(case_status_class(s->status)));
	if (s->status != UW_END)
		json_object_set_new(line, "reason", json_string(sim_status_words(s->status)));
	json_object_set_new(line, "frames", frames);
	json_object_set_new(line, "equal",
			    sim_is_unjudged(result->c) && !result->wrong[0]
				    ? json_null()
				    : json_boolean(!result->wrong[0]));
	if (result->wrong[0])
		json_object_set_new(line, "wrong", json_string(result->wrong));
	if (result->c->is_executed) {
		json_object_set_new(line, "walks", json_integer((json_int_t)result->n_walks));
		json_object_set_new(line, "exact", json_integer((json_int_t)result->n_exact));
	}
	return line;
}

int sim_run_json(FILE *to, const struct sim_result *result)
{
	return sim_json_line(to, run_json(result));
}
