/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The URL by which a generated file names its source map: found, decoded, resolved. */

#include <stdbool.h>
#include <stddef.h>

#include "../../core/types.h"

#define MAP_URL_MAX_LEN (48u << 20) /* of a data: URL */

/*
 * Finds the URL in a text that comes piece by piece, as the last comment with nothing but white
 * space behind it:
 *
 *	//# sourceMappingURL=app.js.map
 */
struct map_url_scan {
	u32 n_matched; /* of the words before the URL */
	enum { MAP_URL_NONE, MAP_URL_READING, MAP_URL_COMPLETE } state;
	bool in_comment; /* another one, behind the URL */
	u64 hash; /* of the URL */
	size_t pos, at, len; /* units: where the URL begins in the text, the text's length so far */
};

/* All zero is a new scan. @unit: UTF-16, or a byte. */
void map_url_scan(struct map_url_scan *s, u16 unit);

/* At the end of the text. 0 and the place of the URL in it, in units, or -ENOENT. */
int map_url_end(const struct map_url_scan *s, size_t *pos, size_t *len);

/**
 * map_url_find() - the same in a text as a whole
 *
 * Return: the URL's first byte, NULL: there is none.
 */
const char *map_url_find(const char *text, size_t text_len, size_t *len);

/* Whether it holds the map itself. */
bool map_url_is_data(const char *url);

/**
 * map_url_decode() - the content of a data: URL
 * @text:	the caller's, ends with a NUL byte
 *
 * Return: 0, -ENOEXEC (it is none, or malformed) or -ENOMEM.
 */
int map_url_decode(const char *url, char **text, size_t *len);

/* Replaces %XX in a URL, or in a part of it. Returns its length then. */
size_t map_url_unescape(char *url, size_t len);

/**
 * map_url_resolve() - the path of what a file refers to
 * @file:	path or file: URL of the file
 * @url:	relative to @file, a path, or a file: URL
 *
 * "/srv/dist/app.js" and "../maps/app.js.map" are "/srv/maps/app.js.map". "." and ".." are taken
 * out, also of other URLs: "webpack://app/./src/a.ts" is "webpack://app/src/a.ts".
 *
 * Return: a path, or a URL of another scheme, to be freed; NULL without memory.
 */
char *map_url_resolve(const char *file, const char *url);
