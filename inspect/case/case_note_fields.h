/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Values of a note's objects. What is no such value is zero, and the first is remembered. */

#include "case_format.h"

struct note_parse {
	const json_t *item; /* whose keys are read */
	const char *list; /* its list, and index there; NULL: the note itself */
	size_t idx;
	struct case_error *why;
	int err;
};

/* @key has what can't be. */
void note_wrong(struct note_parse *p, const char *key, const char *what);

/* The number in "0x..."; 0, or -EINVAL for other text and NULL. */
int note_parse_hex(const char *s, u64 *out);

/* An address. */
u64 note_get_hex(struct note_parse *p, const char *key);
u64 note_get_number(struct note_parse *p, const char *key, u64 max);
s32 note_get_signed(struct note_parse *p, const char *key, s32 min, s32 max);

/* 0, false or NULL when it is left out. */
u32 note_get_some(struct note_parse *p, const char *key);
bool note_get_true(struct note_parse *p, const char *key);
const char *note_get_text(struct note_parse *p, const char *key);

/* Index of one of @words, which end with NULL; a bit for each of several. */
u8 note_get_word(struct note_parse *p, const char *key, const char *const *words);
u8 note_get_flags(struct note_parse *p, const char *key, const char *const *words);

/**
 * note_get_list() - a list of objects
 * @from:	whose key it is
 * @take:	makes element @i of it, of @size bytes, zero before
 *
 * Return: the elements, NULL for none; @n counts those that there is memory for.
 */
void *note_get_list(struct note_parse *p, const json_t *from, const char *key, size_t size, u32 *n,
		    void (*take)(struct note_parse *p, void *to));
