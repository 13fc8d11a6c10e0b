// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints JSON lines: `explain` (the stop); then `frame`, `read` and `note` in the order of
 * the walk; then `end`.
 */

#include "explain.h"

#include "../case/stack.h"
#include "../cmd/json_line.h"

static int print_head(const struct explain *e, FILE *f)
{
	const struct uw_regs *r = &e->target.regs;
	json_t *expected = json_array();

	for (u32 i = 0; i < e->truth.n; i++)
		json_array_append_new(expected, sim_json_hex(e->truth.pcs[i]));
	return sim_json_line(f, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
					  "type", "explain", "case", e->c->name, "arch",
					  e->c->arch->name, "engine", "native", "stop", e->why,
					  "pc", sim_json_hex(r->pc), "sp", sim_json_hex(r->sp),
					  "fp", sim_json_hex(r->fp), "lr", sim_json_hex(r->lr),
					  "expected", expected));
}

static int print_frame(const struct explain *e, u32 frame, FILE *f)
{
	const struct uw_frame *found = &e->u.sample.frames[frame];
	const char *verdict = !e->truth.n		? NULL
			      : frame < e->first_wrong	? "right"
			      : frame == e->first_wrong ? "wrong"
							: "after";

	return sim_json_line(f, json_pack("{s:s, s:i, s:o, s:s, s:s, s:b, s:s?}", "type", "frame",
					  "frame", (int)frame, "pc", sim_json_hex(found->pc),
					  "where", explain_where(e, found->pc, frame > 0).text,
					  "reason", sim_status_words(found->status), "guess",
					  !!(found->flags & UW_FRAME_GUESS), "verdict", verdict));
}

static int print_event(const struct explain *e, const struct trace_event *event, FILE *f)
{
	char words[512];

	if (event->kind == TRACE_READ)
		return sim_json_line(f, json_pack("{s:s, s:i, s:o, s:i, s:i, s:b}", "type", "read",
						  "frame", event->frame, "addr",
						  sim_json_hex(event->value), "len",
						  (int)event->len, "result", event->result,
						  "missing", event->is_missing));
	explain_note_words(e, event, words, sizeof(words));
	return sim_json_line(f, json_pack("{s:s, s:i, s:s, s:o, s:s}", "type", "note", "frame",
					  event->frame, "note", explain_note_name(event->note),
					  "value", sim_json_hex(event->value), "words", words));
}

int explain_json(const struct explain *e, FILE *f)
{
	char verdict[320];
	int err = print_head(e, f);

	for (u32 i = 0; i < e->trace.n && !err; i++) {
		const struct trace_event *event = &e->trace.at[i];

		if (event->kind == TRACE_NOTE && event->note == UW_NOTE_STEP)
			err = print_frame(e, event->frame, f);
		if (!err)
			err = print_event(e, event, f);
	}
	explain_verdict(e, verdict, sizeof(verdict));
	return err ? err
		   : sim_json_line(f, json_pack("{s:s, s:s, s:s, s:o}", "type", "end", "status",
						sim_status_words(e->u.sample.status), "verdict",
						verdict, "right",
						e->missing[0] ? json_false()
						: e->truth.n  ? json_boolean(e->is_right)
							      : json_null()));
}
