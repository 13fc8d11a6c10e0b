/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Makes a function's name, file and line for a profile.
 *
 * Code of eval() and new Function() is in no file. The script of such code refers to the function
 * that compiled it, and has the position in that function. The code is named as in V8's own stack
 * traces:
 *
 *	eval at outer (/srv/app.js:5:14), <anonymous>
 *
 * The position is an offset in the source, or, until V8 has computed that offset, a negated
 * bytecode offset. The compiling function can itself be code of eval(), and so on; MAX_DEPTH limits
 * the depth in a hostile heap.
 *
 * The text is the same as that of FormatEvalOrigin() in v8/src/objects/call-site-info.cc.
 */

#include <stdio.h>
#include <string.h>

#include "v8_bytecode.h"
#include "v8_source.h"

#define MAX_DEPTH 4
#define MAX_TEXT 4096
#define IN_EVAL ", <anonymous>"

int v8_give_reason(struct v8_name *name, const char *reason)
{
	if (!name->reason)
		name->reason = reason;
	return 1;
}

void v8_locate(struct v8_heap *h, struct v8_function *f, s32 pos, struct v8_name *name)
{
	const char *reason = "no source position";

	if (!f->script)
		return;
	if (!v8_function_has_lines(h, f)) {
		v8_give_reason(name, V8_MISFIT);
		return;
	}
	/*
	 * Position 0 means no position: Maglev (14.6) writes 0 for code that it adds to a
	 * generator, and a named function can't have code at the first character of a
	 * script.
	 */
	if (!pos && strcmp(f->name, "(anonymous)"))
		pos = V8_NO_SCRIPT_OFFSET;
	if (pos < 0 || !v8_script_position(h, f->script, pos, &name->line, &name->column, &reason))
		v8_give_reason(name, reason);
}

/* ---- origin ---- */

static struct v8_function *read_asker(struct v8_heap *h, const struct v8_script *s, s32 *position)
{
	u64 shared, where;

	if (v8_word(h, s->tagged, h->l->script_eval_function, &shared) < 0 ||
	    v8_word(h, s->tagged, h->l->script_eval_position, &where) < 0 || !v8_is_smi(where) ||
	    !v8_is_type(h, shared, h->l->type_sfi) || !v8_script_is_same(h, s))
		return NULL;
	*position = v8_smi(where);
	return v8_function_get(h, shared, h->looked_ns);
}

/* Prints where eval() was called. Returns the length of the text, as snprintf() does. */
static int print_place(struct v8_heap *h, struct v8_function *asker, s32 position, char *text,
		       size_t len)
{
	const struct v8_script *s = asker->script;
	struct v8_name at = { .line = 0 };

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

static void find_origin(struct v8_heap *h, struct v8_script *s);

static void read_origin(struct v8_heap *h, struct v8_script *s)
{
	char place[MAX_TEXT], text[MAX_TEXT];
	s32 position;
	struct v8_function *asker = read_asker(h, s, &position);
	const char *name;

	if (!asker || !asker->script)
		return;
	find_origin(h, asker->script);
	if (!asker->script->file && !asker->script->origin)
		return;
	name = strcmp(asker->name, "(anonymous)") ? asker->name : "<anonymous>";
	if (print_place(h, asker, position, place, sizeof(place)) < (int)sizeof(place) &&
	    snprintf(text, sizeof(text), "eval at %s (%s)" IN_EVAL, name, place) <
		    (int)sizeof(text))
		s->origin = arena_strdup(&h->arena, text);
}

static void find_origin(struct v8_heap *h, struct v8_script *s)
{
	u32 n_failed = h->n_failed;

	if (s->file || s->is_origin_known || h->origin_depth == MAX_DEPTH)
		return;
	s->is_origin_known = true;
	h->origin_depth++;
	read_origin(h, s);
	h->origin_depth--;
	if (h->n_failed != n_failed) {
		s->origin = NULL;
		s->is_origin_known = false;
		h->misses_origins = true;
	}
}

void v8_name_function(struct v8_heap *h, const struct v8_function *f, struct v8_name *name)
{
	const char *ignored;

	if (f->script)
		find_origin(h, f->script);
	*name = (struct v8_name){
		.kind = f->script ? V8_NAME_JS : V8_NAME_BUILTIN,
		.name = f->name,
		.file = f->script ? f->script->file ?: f->script->origin : NULL,
		.reason = f->name ? NULL : "unnamed builtin",
	};
	name->script = f->script;
	name->start = f->start;
	if (f->script && f->start >= 0)
		v8_script_position(h, f->script, f->start, &name->start_line, &name->start_column,
				   &ignored);
}
