/* SPDX-License-Identifier: BSD-2-Clause */

#include "frame_key.h"

#include <string.h>

#include "../../inspect/util/array.h"

/* The part of a string that the output cuts off is not included in the key. */
static size_t key_string(u8 *at, const char *s)
{
	size_t len = s ? strnlen(s, JSON_STRING_CAP + 1) : 0;

	at[0] = s != NULL;
	memcpy(at + 1, s ? s : "", len);
	at[1 + len] = 0;
	return len + 2;
}

size_t frame_key(u8 *key, const struct prof_frame *f)
{
	const char *strings[] = { f->name, f->file,   f->module,	f->build_id,
				  f->tier, f->reason, f->generated_file };
	const u64 head[] = { f->has_off ? f->off : 0,
			     f->start_off,
			     f->addr,
			     (u64)f->line << 32 | f->column,
			     (u64)f->start_line << 32 | f->start_column,
			     (u64)f->generated_line << 32 | f->generated_column,
			     f->deferred,
			     (u64)f->kind << 32 | f->has_off | f->inlined << 1 | f->async << 2 |
				     f->guess << 3 | f->ignored << 4 };
	size_t len = sizeof(head);

	_Static_assert(ARRAY_SIZE(head) == FRAME_KEY_NUMBERS &&
			       ARRAY_SIZE(strings) == FRAME_KEY_STRINGS,
		       "FRAME_KEY_MAX must be the length of the longest key");

	memcpy(key, head, sizeof(head));
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		len += key_string(key + len, strings[i]);
	return len;
}
