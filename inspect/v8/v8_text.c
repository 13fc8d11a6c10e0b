/* SPDX-License-Identifier: BSD-2-Clause */

/* Reads parts of a script's text: the URL of the source map, and the text before a function. */

#include <errno.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "v8_script.h"

struct ascii {
	char *at;
};

static int put(const struct v8_chars *c, void *data)
{
	struct ascii *to = data;

	for (size_t i = 0; i < c->n; i++) {
		u16 unit = c->two_byte ? ((const u16 *)c->chars)[i] : ((const u8 *)c->chars)[i];

		*to->at++ = unit && unit < 0x80 ? (char)unit : (char)0x80;
	}
	return 0;
}

static int read_text(struct v8_heap *h, struct v8_script *s, u32 from, u32 n, char *text)
{
	struct ascii to = { text };

	return v8_script_visit(h, s, from, n, put, &to);
}

u32 v8_name_lines(const struct v8_name *name, const u32 **starts, u32 *len)
{
	if (!name->script)
		return 0;
	*starts = name->script->line_starts;
	*len = name->script->source_len;
	return name->script->n_lines;
}

u64 v8_name_map_hash(const struct v8_name *name)
{
	return name->script ? name->script->map_hash : 0;
}

int v8_name_map_url(struct v8_heap *h, const struct v8_name *name, char **url)
{
	u32 len = name->script ? name->script->map_len : 0;
	_cleanup_free_ char *text = len ? malloc(len + 1ul) : NULL;
	int err;

	if (!text)
		return len ? -ENOMEM : -ENOENT;
	err = read_text(h, name->script, name->script->map_pos, len, text);
	if (err)
		return err;
	text[len] = 0;
	*url = TAKE_PTR(text);
	return 0;
}

int v8_name_text_before(struct v8_heap *h, const struct v8_name *name, char *text, size_t len)
{
	u32 n;
	int err;

	if (!name->script || name->start < 0 || (u32)name->start > name->script->source_len)
		return -ENOENT;
	n = (u32)name->start < len ? (u32)name->start : (u32)len;
	err = read_text(h, name->script, (u32)name->start - n, n, text);
	return err ? err : (int)n;
}
