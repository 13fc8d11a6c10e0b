/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <jansson.h>

#define JSON_SMALL_MAX (1u << 20) /* bytes */

/**
 * json_small_read() - parse a small JSON file, such as package.json
 * @fd:		any file; borrowed
 *
 * Return: the value, to be released with json_decref(); NULL if the file is not regular, has more
 * than JSON_SMALL_MAX bytes, can't be read or is no JSON.
 */
json_t *json_small_read(int fd);
