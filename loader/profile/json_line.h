/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Builds one JSON object on one line. Used where lines are made by the thousand
 * and strings are hostile: one pass mends UTF-8, caps, and escapes. Beyond what
 * JSON asks for, control and bidirectional characters are written as \uXXXX too,
 * so that a profile can be looked at on a terminal.
 *
 * Memory that runs out is remembered; json_line_write() tells.
 */

#include <stdio.h>

#include "../../core/types.h"
#include "profile_types.h"

/* A string's bytes before escaping; what is cut off is replaced by an ellipsis. */
#define JSON_STRING_CAP (16u << 10)

struct json_line {
	char *buf;
	size_t len, room;
	bool no_memory;
};

void json_line_deinit(struct json_line *l);

/* Starts a new line, the previous one is dropped: {"type":"@type" */
void json_line_start(struct json_line *l, const char *type);

/* Like json_line_start(), but with no "type". */
void json_line_start_untyped(struct json_line *l);

/* A key and its value. A NULL string writes nothing; a NULL key writes the value alone. */
void json_line_string(struct json_line *l, const char *key, const char *value);
void json_line_u64(struct json_line *l, const char *key, u64 value);
void json_line_hex(struct json_line *l, const char *key, u64 value);
void json_line_true(struct json_line *l, const char *key, bool value);

/* '{' or '[' opens what json_line_close() with '}' or ']' closes. */
void json_line_open(struct json_line *l, const char *key, char bracket);
void json_line_close(struct json_line *l, char bracket);

/* The keys of a frame, without its id. */
void json_line_frame(struct json_line *l, const struct prof_frame *f);

/* Ends the line; its text without a newline, borrowed until the next one. NULL without memory. */
const char *json_line_end(struct json_line *l, size_t *len);

/**
 * json_line_write() - end the line and write it
 *
 * Return: 0, -ENOMEM, or the negative errno of the write.
 */
int json_line_write(struct json_line *l, FILE *out);
