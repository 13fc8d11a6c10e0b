/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds a URL by "extract a source map URL without parsing",
 * https://tc39.es/ecma426/#sec-JavaScriptExtractSourceMapURL (2024). No tokenizer is needed,
 * because quotes or code follow a comment that is merely quoted in a string.
 */

#include "map_url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"

static const char words[] = "//# sourceMappingURL=";

#define N_WORDS (sizeof(words) - 1)
#define FNV_PRIME 0x100000001b3ull
#define FNV_START 0xcbf29ce484222325ull

static bool is_space(u16 unit)
{
	return unit == ' ' || unit == '\t' || unit == '\n' || unit == '\r';
}

/* The comment originally used @ instead of #. */
static bool is_word(u32 i, u16 unit)
{
	return unit == (u16)words[i] || (words[i] == '#' && unit == '@') ||
	       (words[i] == ' ' && unit == '\t');
}

static void match_words(struct map_url_scan *s, u16 unit)
{
	if (is_word(s->n_matched, unit))
		s->n_matched++;
	else /* after "///", the last two slashes may start the comment */
		s->n_matched = unit != '/' ? 0 : s->n_matched == 2 ? 2 : 1;
}

/* A URL followed by code was inside other text, so it is discarded; comments may follow the URL. */
static void scan_behind(struct map_url_scan *s, u16 unit)
{
	if (s->in_comment)
		s->in_comment = unit != '\n';
	else if (s->n_matched == 2)
		s->in_comment = true;
	else if (!is_space(unit) && s->n_matched != 1)
		s->state = MAP_URL_NONE;
}

void map_url_scan(struct map_url_scan *s, u16 unit)
{
	size_t at = s->at++;

	if (s->state == MAP_URL_READING) {
		if (is_space(unit))
			s->state = MAP_URL_COMPLETE;
		else if (unit == '"' || unit == '\'' || unit == '`')
			s->state = MAP_URL_NONE;
		s->hash = (s->hash ^ unit) * FNV_PRIME;
		s->len += s->state == MAP_URL_READING;
		return;
	}
	match_words(s, unit);
	if (s->n_matched == N_WORDS)
		*s = (struct map_url_scan){
			.state = MAP_URL_READING, .hash = FNV_START, .pos = at + 1, .at = at + 1
		};
	else if (s->state == MAP_URL_COMPLETE)
		scan_behind(s, unit);
}

int map_url_end(const struct map_url_scan *s, size_t *pos, size_t *len)
{
	if (s->state == MAP_URL_NONE || !s->len || s->len > MAP_URL_MAX_LEN)
		return -ENOENT;
	*pos = s->pos;
	*len = s->len;
	return 0;
}

const char *map_url_find(const char *text, size_t text_len, size_t *len)
{
	struct map_url_scan s = { 0 };
	size_t pos;

	for (size_t i = 0; i < text_len; i++)
		map_url_scan(&s, (u8)text[i]);
	return map_url_end(&s, &pos, len) ? NULL : text + pos;
}

/* ---- data: ---- */

bool map_url_is_data(const char *url)
{
	return strncmp(url, "data:", 5) == 0;
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9'		    ? c - '0'
	       : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
						    : -1;
}

size_t map_url_unescape(char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int high = i + 2 < len && text[i] == '%' ? hex_of(text[i + 1]) : -1;
		int low = high < 0 ? -1 : hex_of(text[i + 2]);

		text[n++] = low < 0 ? text[i] : (char)(high << 4 | low);
		i += low < 0 ? 0 : 2;
	}
	text[n] = 0;
	return n;
}

static int base64_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decodes in place. Returns the decoded length or -ENOEXEC. */
static ssize_t decode_base64(char *text, size_t len)
{
	u32 bits = 0, n_bits = 0;
	size_t n = 0;

	while (len && text[len - 1] == '=')
		len--;
	for (size_t i = 0; i < len; i++) {
		int digit = base64_of(text[i]);

		if (digit < 0)
			return -ENOEXEC;
		bits = bits << 6 | (u32)digit;
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			text[n++] = (char)(bits >> n_bits);
		}
	}
	text[n] = 0;
	return (ssize_t)n;
}

int map_url_decode(const char *url, char **text, size_t *len)
{
	const char *comma = map_url_is_data(url) ? strchr(url, ',') : NULL;
	bool is_base64 = comma && comma - url >= 7 && memcmp(comma - 7, ";base64", 7) == 0;
	_cleanup_free_ char *content = comma ? strdup(comma + 1) : NULL;
	ssize_t n;

	if (!comma)
		return -ENOEXEC;
	if (!content)
		return -ENOMEM;
	n = (ssize_t)map_url_unescape(content, strlen(content));
	if (is_base64)
		n = decode_base64(content, (size_t)n);
	if (n < 0)
		return (int)n;
	*text = TAKE_PTR(content);
	*len = (size_t)n;
	return 0;
}

/* ---- relative URLs ---- */

/* Number of bytes before the path: "webpack://app", "file://"; 0 without such a prefix. */
static size_t origin_len(const char *url)
{
	size_t scheme = strcspn(url, ":/");

	if (scheme < 2 || strncmp(url + scheme, "://", 3) != 0)
		return 0;
	return scheme + 3 + strcspn(url + scheme + 3, "/");
}

/* Resolves "." and ".." in a path that begins with '/'. */
static void normalize(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		size_t len = 1 + strcspn(from + 1, "/");

		if (len == 3 && memcmp(from, "/..", 3) == 0) {
			while (to > path && *--to != '/')
				;
		} else if (!(len == 2 && from[1] == '.') && !(len == 1 && from[1])) {
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	if (to == path)
		*to++ = '/';
	*to = 0;
}

/* Converts a file: URL to a path. */
static void drop_file_scheme(char *url)
{
	if (strncmp(url, "file://", 7) == 0) {
		memmove(url, url + 7, strlen(url + 7) + 1);
		map_url_unescape(url, strlen(url));
	}
}

char *map_url_resolve(const char *file, const char *url)
{
	_cleanup_free_ char *base = strdup(file), *all = NULL;
	const char *slash;
	int n;

	if (!base)
		return NULL;
	drop_file_scheme(base);
	slash = strrchr(base, '/');
	if (origin_len(url) || url[0] == '/')
		n = asprintf(&all, "%s", url);
	else
		n = asprintf(&all, "%.*s%s", slash ? (int)(slash - base + 1) : 0, base, url);
	if (n < 0) {
		all = NULL;
		return NULL;
	}
	drop_file_scheme(all);
	if (all[origin_len(all)] == '/')
		normalize(all + origin_len(all));
	return TAKE_PTR(all);
}
