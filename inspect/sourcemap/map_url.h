/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The URL of a generated file's source map: finding, decoding and resolving it. */

#include <stdbool.h>
#include <stddef.h>

#include "../../core/types.h"

#define MAP_URL_MAX_LEN (48u << 20) /* maximum length of a data: URL */

/*
 * Finds the URL in a text that arrives in pieces. The URL is in a comment after which there are
 * only white space and other comments:
 *
 *	//# sourceMappingURL=app.js.map
 */
struct map_url_scan {
	u32 n_matched; /* number of units that matched the words before the URL */
	enum { MAP_URL_NONE, MAP_URL_READING, MAP_URL_COMPLETE } state;
	bool in_comment; /* in a comment after the URL */
	u64 hash; /* hash of the URL */
	size_t pos, at, len; /* in units: offset of the URL, length scanned, length of the URL */
};

/* Scans the next unit. @s must be zero before the first call. @unit: a UTF-16 unit or a byte. */
void map_url_scan(struct map_url_scan *s, u16 unit);

/* Ends the scan. Returns 0 and the offset and length of the URL in units, or -ENOENT. */
int map_url_end(const struct map_url_scan *s, size_t *pos, size_t *len);

/**
 * map_url_find() - find the URL in a complete text
 *
 * Return: the URL's first byte, or NULL if there is none.
 */
const char *map_url_find(const char *text, size_t text_len, size_t *len);

/* Whether the URL is a data: URL, which contains the map. */
bool map_url_is_data(const char *url);

/**
 * map_url_decode() - decode the content of a data: URL
 * @text:	to be freed with free(); ends with a NUL byte
 *
 * Return: 0, -ENOEXEC (not a data: URL, or malformed) or -ENOMEM.
 */
int map_url_decode(const char *url, char **text, size_t *len);

/* Replaces %XX in a URL or a part of it. Returns the new length. */
size_t map_url_unescape(char *url, size_t len);

/**
 * map_url_resolve() - resolve a URL that a file contains
 * @file:	path or file: URL of the file
 * @url:	relative to @file, a path, or a file: URL
 *
 * "/srv/dist/app.js" and "../maps/app.js.map" give "/srv/maps/app.js.map". "." and ".." are
 * resolved in other URLs too: "webpack://app/./src/a.ts" gives "webpack://app/src/a.ts".
 *
 * Return: a path or a URL of another scheme, to be freed with free(); NULL if out of memory.
 */
char *map_url_resolve(const char *file, const char *url);
