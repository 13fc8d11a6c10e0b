/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Lines of JSON. */

#include "junit.h"

#include <jansson.h>
#include <stdio.h>

/**
 * sim_json_line() - write a JSON object as a line
 * @o:		the object, which is consumed; NULL gives -ENOMEM
 *
 * Return: 0 or -ENOMEM. Write errors are detected only when the file is closed.
 */
int sim_json_line(FILE *f, json_t *o);

/* Makes a string like "0x12". */
json_t *sim_json_hex(u64 value);

/* Writes the line for a case that could not be run in an engine. */
int sim_json_not_run(FILE *f, const struct sim_verdict *v);
