/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * jansson 2.14 mishandles failed allocations: its parser drops characters of a string (lex_save()
 * ignores the result of strbuffer_append_byte()) and fails an assertion when it takes these
 * characters back, and json_object_set_new() silently omits a member that is NULL. Therefore this
 * library watches jansson's allocations in every program that is linked with it, and serves them
 * from a small reserve when malloc() fails. Not thread-safe.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * json_memory_failed() - read and clear the failure flag
 *
 * Return: whether an allocation of jansson has failed since the last call; if so, discard
 *         everything that jansson parsed, made or wrote since then.
 */
bool json_memory_failed(void);

/**
 * json_memory_dumps() - json_dumps() that detects failed allocations
 * @json:	may be NULL, the result of a failed allocation
 *
 * Return: the text, to be freed with free(); NULL if an allocation failed, even if it failed while
 * @json was made.
 */
char *json_memory_dumps(const json_t *json, size_t flags);

/**
 * json_memory_line() - write a value as a line
 * @json:	consumed; may be NULL, the result of a failed allocation
 *
 * Return: 0, or -ENOMEM if an allocation failed, even if it failed while @json was made. Errors of
 *         writing are reported when @f is flushed.
 */
int json_memory_line(json_t *json, size_t flags, FILE *f);
