/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Code of eval() and new Function() is in no file. Its script says which function asked for
 * it and where, and it is called what V8's own stack traces call it:
 *
 *	eval at outer (/srv/app.js:5:14), <anonymous>
 *
 * The place is an offset in the source, or minus an offset in the bytecode as long as nobody
 * has asked V8 for it. Who asked can be code of eval itself, and so on: in a process that lies
 * without an end.
 *
 * The fields: v8/src/objects/script.tq, the same from 8.4 to 14.6; the text:
 * FormatEvalOrigin() in v8/src/objects/call-site-info.cc.
 */

#include <stdio.h>
#include <string.h>

#include "v8_name.h"

#define SCRIPT_EVAL_FROM_SHARED 72
#define SCRIPT_EVAL_FROM_POSITION 80
#define MAX_DEPTH 4
#define MAX_TEXT 4096
#define IN_EVAL ", <anonymous>"

static struct v8_function *read_asker(struct v8_heap *h, const struct v8_script *s, s32 *position)
{
	u64 shared, where;

	if (v8_word(h, s->tagged, SCRIPT_EVAL_FROM_SHARED, &shared) < 0 ||
	    v8_word(h, s->tagged, SCRIPT_EVAL_FROM_POSITION, &where) < 0 || !v8_is_smi(where) ||
	    !v8_is_type(h, shared, h->l->type_sfi) || !v8_script_is_same(h, s))
		return NULL;
	*position = v8_smi(where);
	return v8_function_get(h, shared, h->looked_ns);
}

/* Length of the text, as of snprintf(). */
static int print_place(struct v8_heap *h, struct v8_function *asker, s32 position, char *text,
		       size_t len)
{
	const struct v8_script *s = asker->script;
	struct v8_name at;

	v8_name_function(asker, &at);
	if (!s->file && s->origin)
		return snprintf(text, len, "%.*s", (int)(strlen(s->origin) - strlen(IN_EVAL)),
				s->origin);
	if (position < 0)
		position = v8_bytecode_position(h, v8_function_bytecode(h, asker), -position);
	v8_locate(h, asker, position, &at);
	if (!at.line)
		return snprintf(text, len, "%s", s->file);
	return snprintf(text, len, "%s:%u:%u", s->file, at.line, at.column);
}

static void find_origin(struct v8_heap *h, struct v8_script *s)
{
	char place[MAX_TEXT], text[MAX_TEXT];
	s32 position;
	struct v8_function *asker = read_asker(h, s, &position);
	const char *name;

	if (!asker || !asker->script || !(asker->script->file || asker->script->origin))
		return;
	name = strcmp(asker->name, "(anonymous)") ? asker->name : "<anonymous>";
	if (print_place(h, asker, position, place, sizeof(place)) < (int)sizeof(place) &&
	    snprintf(text, sizeof(text), "eval at %s (%s)" IN_EVAL, name, place) <
		    (int)sizeof(text))
		s->origin = v8_arena_strdup(&h->arena, text);
}

void v8_script_find_origin(struct v8_heap *h, struct v8_script *s)
{
	u32 n_failed = h->n_failed;

	if (s->file || s->is_origin_known || h->origin_depth == MAX_DEPTH)
		return;
	s->is_origin_known = true;
	h->origin_depth++;
	find_origin(h, s);
	h->origin_depth--;
	if (h->n_failed != n_failed) {
		s->origin = NULL;
		s->is_origin_known = false;
		h->misses_origins = true;
	}
}
