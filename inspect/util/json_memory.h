/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * jansson 2.14 goes on where it found no memory: its parser drops characters of a string
 * (lex_save() does not look at strbuffer_append_byte()) and asserts when it takes them back,
 * and json_object_set_new() of what could not be made leaves members out. So in every
 * program that this is linked to its allocations are watched, and come from a small reserve
 * where memory is short. Not for several threads.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * json_memory_failed() - ask, and forget
 *
 * Return: whether jansson has found no memory since the last call: what it parsed, made or
 *         wrote since then is not to be used.
 */
bool json_memory_failed(void);

/**
 * json_memory_dumps() - json_dumps(), but whole
 * @json:	may be NULL, as what could not be made is
 *
 * Return: text for free(), which json_dumps() does not promise here; NULL where memory was
 *         short, also when @json was made.
 */
char *json_memory_dumps(const json_t *json, size_t flags);

/**
 * json_memory_line() - write a value as a line
 * @json:	is used up; may be NULL, as what could not be made is
 *
 * Return: 0 or -ENOMEM, also when memory was short while @json was made; what can't be
 *         written is told when @f is flushed.
 */
int json_memory_line(json_t *json, size_t flags, FILE *f);
