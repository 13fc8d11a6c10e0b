/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Builds one JSON object on one line. The code is made for thousands of lines with hostile
 * strings: a single pass over a string repairs UTF-8, truncates the string and escapes it.
 * Control and bidirectional characters are written as \uXXXX even where JSON does not require
 * it, so that a profile can be viewed on a terminal.
 *
 * If an allocation fails, json_line_write() returns the error.
 */

#include <stdio.h>

#include "../../core/types.h"
#include "profile_types.h"

/* Maximum length of a string before escaping; an ellipsis replaces the rest. */
#define JSON_STRING_CAP (16u << 10)

struct json_line {
	char *buf;
	size_t len, room;
	bool no_memory;
};

void json_line_deinit(struct json_line *l);

/* Starts a new line and discards the previous one: {"type":"@type" */
void json_line_start(struct json_line *l, const char *type);

/* Like json_line_start(), but without "type". */
void json_line_start_untyped(struct json_line *l);

/* Adds a key and its value. A NULL @value adds nothing; a NULL @key adds the value alone. */
void json_line_string(struct json_line *l, const char *key, const char *value);
void json_line_u64(struct json_line *l, const char *key, u64 value);
void json_line_number(struct json_line *l, const char *key, double value); /* finite */
void json_line_s64(struct json_line *l, const char *key, s64 value);
void json_line_hex(struct json_line *l, const char *key, u64 value);
/* A value that is JSON already: null, true, false, or a constant object. */
void json_line_word(struct json_line *l, const char *key, const char *word);

/* Continues the value that was added last: the fraction of a number. */
void json_line_more(struct json_line *l, const char *text);
void json_line_true(struct json_line *l, const char *key, bool value);

/* Opens '{' or '['. json_line_close() with '}' or ']' closes it. */
void json_line_open(struct json_line *l, const char *key, char bracket);
void json_line_close(struct json_line *l, char bracket);

/* Adds the keys of a frame, except for its id. */
void json_line_frame(struct json_line *l, const struct prof_frame *f);

/**
 * json_line_drain() - write the text so far, for an object that does not fit into memory
 *
 * Return: as json_line_write().
 */
int json_line_drain(struct json_line *l, FILE *out);

/* Ends the line. Returns the line without a newline, borrowed until the next line, or NULL. */
const char *json_line_end(struct json_line *l, size_t *len);

/**
 * json_line_write() - end the line and write it
 *
 * Return: 0, -ENOMEM, or the negative errno of the write.
 */
int json_line_write(struct json_line *l, FILE *out);
