/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * jansson 2.14 mishandles failed allocations: its parser drops characters of a string
 * (lex_save() ignores the result of strbuffer_append_byte()) and asserts when it takes them
 * back, and json_object_set_new() silently omits a member that is NULL. So this library
 * watches the allocations of jansson in every program that it is linked to, and serves them
 * from a small reserve when malloc() fails. Not thread-safe.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * json_memory_failed() - read and clear the failure flag
 *
 * Return: whether an allocation of jansson has failed since the last call; if so, discard all
 *         that it parsed, made or wrote since then.
 */
bool json_memory_failed(void);

/**
 * json_memory_dumps() - json_dumps() that detects failed allocations
 * @json:	may be NULL, the result of a failed allocation
 *
 * Return: the text, to be freed with free(); NULL if an allocation failed, also while @json was
 * made.
 */
char *json_memory_dumps(const json_t *json, size_t flags);

/**
 * json_memory_line() - write a value as a line
 * @json:	consumed; may be NULL, the result of a failed allocation
 *
 * Return: 0 or -ENOMEM, also when an allocation failed while @json was made; errors of
 *         writing show when @f is flushed.
 */
int json_memory_line(json_t *json, size_t flags, FILE *f);
