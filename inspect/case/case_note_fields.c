// SPDX-License-Identifier: BSD-2-Clause

#include "case_note_fields.h"

#include "../util/reasons.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void note_wrong(struct note_parse *p, const char *key, const char *what)
{
	if (p->err)
		return;
	if (p->list)
		p->err = case_fail(p->why, -EINVAL, NULL, "%s[%zu].%s %s", p->list, p->idx, key,
				   what);
	else
		p->err = case_fail(p->why, -EINVAL, NULL, "%s %s", key, what);
}

int note_parse_hex(const char *s, u64 *out)
{
	size_t n = 0;

	if (!s || strncmp(s, "0x", 2) != 0)
		return -EINVAL;
	while (isxdigit((u8)s[2 + n]))
		n++;
	if (!n || n > 16 || s[2 + n])
		return -EINVAL;
	*out = strtoull(s, NULL, 16);
	return 0;
}

u64 note_get_hex(struct note_parse *p, const char *key)
{
	u64 value = 0;

	if (note_parse_hex(json_string_value(json_object_get(p->item, key)), &value))
		note_wrong(p, key, "must be \"0x...\"");
	return value;
}

static u64 number_of(struct note_parse *p, const char *key, const json_t *value, u64 max)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (u64)n > max) {
		note_wrong(p, key, "is not a number, or is out of range");
		return 0;
	}
	return (u64)n;
}

u64 note_get_number(struct note_parse *p, const char *key, u64 max)
{
	return number_of(p, key, json_object_get(p->item, key), max);
}

u32 note_get_some(struct note_parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	return value ? (u32)number_of(p, key, value, UINT32_MAX) : 0;
}

bool note_get_true(struct note_parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	if (value && !json_is_boolean(value))
		note_wrong(p, key, "must be true or false");
	return json_is_true(value);
}

const char *note_get_text(struct note_parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	if (value && !json_is_string(value))
		note_wrong(p, key, "is not a string");
	return json_string_value(value);
}

static u8 index_of(struct note_parse *p, const char *key, const char *word,
		   const char *const *words)
{
	for (u8 i = 0; word && words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	note_wrong(p, key, "has an unknown word");
	return 0;
}

u8 note_get_word(struct note_parse *p, const char *key, const char *const *words)
{
	return index_of(p, key, json_string_value(json_object_get(p->item, key)), words);
}

u8 note_get_status(struct note_parse *p, const char *key)
{
	const char *words = json_string_value(json_object_get(p->item, key));

	return index_of(p, key, reason_current(words), case_status_words);
}

u8 note_get_flags(struct note_parse *p, const char *key, const char *const *words)
{
	const json_t *list = json_object_get(p->item, key);
	u32 flags = 0;

	if (!json_is_array(list))
		note_wrong(p, key, "is not a list");
	for (size_t i = 0; i < json_array_size(list) && !p->err; i++)
		flags |= 1u << index_of(p, key, json_string_value(json_array_get(list, i)), words);
	return (u8)flags;
}

void *note_get_list(struct note_parse *p, const json_t *from, const char *key, size_t size, u32 *n,
		    void (*take)(struct note_parse *p, void *to))
{
	const json_t *list = json_object_get(from, key);
	size_t count = json_array_size(list);
	char *elements;

	if (p->err || !list)
		return NULL;
	p->list = NULL;
	if (!json_is_array(list) || count > CASE_MAX_LIST)
		note_wrong(p, key, "is not a list, or is too long");
	elements = p->err || !count ? NULL : calloc(count, size);
	if (!p->err && count && !elements)
		p->err = -ENOMEM;
	for (p->list = key, p->idx = 0; p->idx < count && !p->err; p->idx++) {
		p->item = json_array_get(list, p->idx);
		take(p, elements + p->idx * size);
	}
	p->list = NULL;
	*n = elements ? (u32)count : 0;
	return elements;
}

s32 note_get_signed(struct note_parse *p, const char *key, s32 min, s32 max)
{
	const json_t *value = json_object_get(p->item, key);
	json_int_t n = json_integer_value(value);

	if (json_is_integer(value) && n >= min && n <= max)
		return (s32)n;
	note_wrong(p, key, "is not a number, or is out of range");
	return 0;
}
