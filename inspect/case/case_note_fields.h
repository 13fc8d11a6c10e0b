/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Getters for values in a note's objects. A wrong value reads as 0, and the first wrong value is
 * reported.
 */

#include "case_format.h"

struct note_parse {
	const json_t *item; /* the object to read from */
	const char *list; /* key of the list that contains the item; NULL: the item is the note */
	size_t idx; /* index of the item in the list */
	struct case_error *why;
	int err;
};

/* Reports that the value of @key is wrong, unless an error was reported before. */
void note_wrong(struct note_parse *p, const char *key, const char *what);

/* Parses "0x...". Return: 0, or -EINVAL for other text and NULL. */
int note_parse_hex(const char *s, u64 *out);

/* Reads an address. */
u64 note_get_hex(struct note_parse *p, const char *key);
u64 note_get_number(struct note_parse *p, const char *key, u64 max);
s32 note_get_signed(struct note_parse *p, const char *key, s32 min, s32 max);

/* Getters of optional keys: they return 0, false or NULL if the key is absent. */
u32 note_get_some(struct note_parse *p, const char *key);
bool note_get_true(struct note_parse *p, const char *key);
const char *note_get_text(struct note_parse *p, const char *key);

/*
 * Returns the index of a word in @words, which ends with NULL. note_get_flags() reads a list of
 * words and returns a bit for each.
 */
u8 note_get_word(struct note_parse *p, const char *key, const char *const *words);
u8 note_get_flags(struct note_parse *p, const char *key, const char *const *words);

/* Reads a status by its name, in the present or an earlier spelling. */
u8 note_get_status(struct note_parse *p, const char *key);

/**
 * note_get_list() - read a list of objects
 * @from:	the object that has @key
 * @take:	fills one zeroed element of @size bytes
 *
 * Return: the elements, or NULL if there are none; @n is set to their number.
 */
void *note_get_list(struct note_parse *p, const json_t *from, const char *key, size_t size, u32 *n,
		    void (*take)(struct note_parse *p, void *to));
