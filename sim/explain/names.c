// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints the names of a recorded walk's frames, and which resolvers of inspect/v8/v8_location.c
 * were called for each pc of compiled code.
 */

#include "explain.h"

#include "../../inspect/case/case_target.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8.h"
#include "../cmd/json_line.h"
#include "../recorded/name.h"

#include <errno.h>

struct teller {
	const struct explain *e;
	FILE *text, *json; /* NULL: not requested */
	u32 frame; /* index of the frame that is being named */
	bool has_head; /* the frame's heading has been printed */
	int err;
};

static void print_head(struct teller *t)
{
	const struct uw_frame *f = &t->e->u.sample.frames[t->frame];

	if (!t->has_head && t->text)
		fprintf(t->text, "\nframe %-3u%s\n", t->frame,
			explain_where(t->e, f->pc, t->frame > 0).text);
	t->has_head = true;
}

static void tell_asked(void *ctx, const struct v8_asked *a)
{
	struct teller *t = ctx;

	print_head(t);
	if (t->text)
		fprintf(t->text, "           %-22s %s at %#llx%s%s\n", a->resolver, a->verdict,
			a->pc, a->reason ? ": " : "", a->reason ?: "");
	if (t->json && !t->err)
		t->err = sim_json_line(t->json,
				       json_pack("{s:s, s:i, s:s, s:s, s:s?, s:o}", "type",
						 "resolver", "frame", (int)t->frame, "resolver",
						 a->resolver, "verdict", a->verdict, "reason",
						 a->reason, "pc", sim_json_hex(a->pc)));
}

static void print_name(FILE *f, const struct case_frame *name)
{
	fprintf(f, "  %-8s %s", name->tier ?: name->kind, name->name ?: "?");
	if (name->line)
		fprintf(f, " (%s:%u:%u)", name->file ?: "?", name->line, name->column);
	fprintf(f, "%s%s%s\n", name->inlined ? ", inlined" : "", name->reason ? ": " : "",
		name->reason ?: "");
}

static void tell_named(void *ctx, u32 frame, const struct case_frame *names, u32 n)
{
	struct teller *t = ctx;

	print_head(t);
	for (u32 i = 0; i < n; i++) {
		if (t->text)
			print_name(t->text, &names[i]);
		if (t->json && !t->err)
			t->err = sim_json_line(
				t->json,
				json_pack("{s:s, s:i, s:s?, s:s?, s:i, s:i, s:s?, s:b, s:s?}",
					  "type", "name", "frame", (int)frame, "name",
					  names[i].name, "file", names[i].file, "line",
					  (int)names[i].line, "column", (int)names[i].column,
					  "tier", names[i].tier, "inlined", names[i].inlined,
					  "reason", names[i].reason));
	}
	t->frame = frame + 1;
	t->has_head = false;
}

int explain_tell_names(struct explain *e, const char *file, FILE *text, FILE *json)
{
	_cleanup_(case_frames_deinit) struct case_frames frames = { 0 };
	struct teller t = { .e = e, .text = text, .json = json };
	struct sim_listener listener = { file, tell_asked, tell_named, &t };
	struct case_target memory;
	char runtime[64];
	int err;

	if (!e->c->recorded)
		return 0;
	if (text)
		fputs("\nnames, with the resolvers called for each pc in V8's compiled code\n",
		      text);
	sim_take_regs(e->c->recorded, &e->u.sample);
	case_target_init(&memory, e->c->recorded);
	err = sim_name_frames(e->c->recorded, &e->u.sample, &memory.target, &listener, runtime,
			      &frames);
	return err ? err : t.err;
}
