// SPDX-License-Identifier: BSD-2-Clause

/*
 * Formats the note as text for review. An object with plain values only, such as a frame or a
 * read, is one line, so that a changed frame is a changed line.
 */

#include "case_format.h"

#include "../util/cleanup.h"
#include "../util/json_memory.h"
#include "../util/text_stream.h"

#include <errno.h>
#include <stdlib.h>

#define FLAGS (JSON_ENSURE_ASCII | JSON_ENCODE_ANY)

static bool is_list(const json_t *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach(value, i,
			   item) if (json_is_object(item) || json_is_array(item)) return false;
	return true;
}

/* Whether @value contains no objects, and no lists except lists of plain values. */
static bool is_flat(const json_t *value)
{
	const char *key;
	const json_t *item;

	json_object_foreach((json_t *)value, key,
			    item) if (json_is_object(item) || !is_list(item)) return false;
	return is_list(value);
}

static int put_value(FILE *f, const json_t *value, int depth);

static int put_key(FILE *f, const char *key)
{
	json_t *name = json_string(key);
	bool is_put = name && !json_dumpf(name, f, FLAGS) && fputs(": ", f) != EOF;

	json_decref(name);
	return is_put ? 0 : -ENOMEM;
}

static int put_item(FILE *f, const char *key, const json_t *item, int depth, bool is_first)
{
	if (fprintf(f, "%s\n%*s", is_first ? "" : ",", depth, "") < 0 || (key && put_key(f, key)))
		return -ENOMEM;
	return put_value(f, item, depth);
}

static int put_value(FILE *f, const json_t *value, int depth)
{
	const char *key;
	const json_t *item;
	size_t i;
	bool is_first = true;
	int err = 0;

	if (is_flat(value) && depth)
		return json_dumpf(value, f, FLAGS) ? -ENOMEM : 0;
	fputc(json_is_object(value) ? '{' : '[', f);
	json_object_foreach((json_t *)value, key, item)
	{
		err |= put_item(f, key, item, depth + 1, is_first);
		is_first = false;
	}
	json_array_foreach(value, i, item) err |= put_item(f, NULL, item, depth + 1, !i);
	return fprintf(f, "\n%*s%c", depth, "", json_is_object(value) ? '}' : ']') < 0 ? -ENOMEM
										       : err;
}

char *case_note_text(const struct case_file *c)
{
	json_t *note = case_note_json(c);
	struct text_stream s;
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = note ? text_stream_open(&s) : NULL;
	int err = f ? put_value(f, note, 0) : -ENOMEM;

	json_decref(note);
	if (f && text_stream_close(&s, f, &text, &len))
		err = -ENOMEM;
	return err || json_memory_failed() ? NULL : TAKE_PTR(text);
}
