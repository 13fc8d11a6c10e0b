// SPDX-License-Identifier: BSD-2-Clause

/*
 * Finds the names of a recorded walk's frames, and prints which resolvers of
 * inspect/v8/v8_location.c were called for each pc of compiled code.
 */

#include "explain.h"

#include "../../inspect/case/case_target.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8.h"
#include "../cmd/json_line.h"
#include "../recorded/name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct printer {
	struct explain *e;
	FILE *text, *json; /* NULL: not requested */
	u32 frame; /* index of the frame that is being named */
	bool has_head; /* the frame's heading has been printed */
	int err;
};

static void print_head(struct printer *p)
{
	const struct uw_frame *f = &p->e->u.sample.frames[p->frame];

	if (!p->has_head && p->text)
		fprintf(p->text, "\nframe %-3u%#llx\n", p->frame, f->pc);
	p->has_head = true;
}

static void print_resolver(void *ctx, const struct v8_asked *a)
{
	struct printer *p = ctx;

	print_head(p);
	if (p->text)
		fprintf(p->text, "           %-22s %s at %#llx%s%s\n", a->resolver, a->verdict,
			a->pc, a->reason ? ": " : "", a->reason ?: "");
	if (p->json && !p->err)
		p->err = sim_json_line(p->json,
				       json_pack("{s:s, s:i, s:s, s:s, s:s?, s:o}", "type",
						 "resolver", "frame", (int)p->frame, "resolver",
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

static int print_json(FILE *f, u32 frame, const struct case_frame *name)
{
	return sim_json_line(f, json_pack("{s:s, s:i, s:s?, s:s?, s:i, s:i, s:s?, s:b, s:s?}",
					  "type", "name", "frame", (int)frame, "name", name->name,
					  "file", name->file, "line", (int)name->line, "column",
					  (int)name->column, "tier", name->tier, "inlined",
					  name->inlined, "reason", name->reason));
}

/* Inlined functions come first, so the last name is that of the function whose code this is. */
static void print_names(void *ctx, u32 frame, const struct case_frame *names, u32 n)
{
	struct printer *p = ctx;

	print_head(p);
	for (u32 i = 0; i < n; i++) {
		if (p->text)
			print_name(p->text, &names[i]);
		if (p->json && !p->err)
			p->err = print_json(p->json, frame, &names[i]);
	}
	if (n && names[n - 1].name)
		p->e->names[frame] = strdup(names[n - 1].name);
	p->frame = frame + 1;
	p->has_head = false;
}

int explain_find_names(struct explain *e, const char *file, FILE *text, FILE *json)
{
	_cleanup_(case_frames_deinit) struct case_frames frames = { 0 };
	struct printer p = { .e = e, .text = text, .json = json };
	struct sim_listener listener = { file, print_resolver, print_names, &p };
	struct case_target memory;
	char runtime[64];
	int err;

	if (!e->c->recorded)
		return 0;
	e->names = calloc(e->u.sample.n_frames + 1ul, sizeof(*e->names));
	if (!e->names)
		return -ENOMEM;
	if (text)
		fputs("\nnames, with the resolvers called for each pc in V8's compiled code\n",
		      text);
	sim_take_regs(e->c->recorded, &e->u.sample);
	case_target_init(&memory, e->c->recorded);
	err = sim_name_frames(e->c->recorded, &e->u.sample, &memory.target, &listener, runtime,
			      &frames);
	return err ? err : p.err;
}
