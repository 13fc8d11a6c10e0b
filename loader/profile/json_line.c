/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/utf8.h"

static const char ellipsis[] = "\xe2\x80\xa6";

void json_line_deinit(struct json_line *l)
{
	free(l->buf);
	*l = (struct json_line){ 0 };
}

static void append(struct json_line *l, const char *bytes, size_t n)
{
	if (array_reserve(l->buf, l->room, l->len + n)) {
		l->no_memory = true;
		return;
	}
	memcpy(l->buf + l->len, bytes, n);
	l->len += n;
}

static void append_text(struct json_line *l, const char *text)
{
	append(l, text, strlen(text));
}

static void append_u64(struct json_line *l, u64 value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	append(l, digits + at, sizeof(digits) - at);
}

static void append_code_point(struct json_line *l, u32 cp)
{
	char out[16];
	size_t n;

	if (cp == '"' || cp == '\\')
		n = (size_t)snprintf(out, sizeof(out), "\\%c", (char)cp);
	else if (utf8_is_control(cp)) /* all control characters are below U+10000 */
		n = (size_t)snprintf(out, sizeof(out), "\\u%04x", cp);
	else
		n = utf8_put(cp, out);
	append(l, out, n);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void append_string(struct json_line *l, const char *s)
{
	size_t len = strnlen(s, JSON_STRING_CAP + 1), at = 0;
	bool cut = len > JSON_STRING_CAP;
	size_t end = cut ? JSON_STRING_CAP : len;

	append(l, "\"", 1);
	while (at < end) {
		size_t plain = at;
		u32 cp;

		while (plain < end && is_plain(s[plain]))
			plain++;
		append(l, s + at, plain - at);
		if (plain == end)
			break;
		/* The decoder may read beyond @end, because the limit may be inside a character. */
		at = plain + utf8_decode(s + plain, len - plain, &cp);
		if (at > end)
			break;
		append_code_point(l, cp);
	}
	if (cut)
		append_text(l, ellipsis);
	append(l, "\"", 1);
}

static void append_key(struct json_line *l, const char *key)
{
	char before = l->len ? l->buf[l->len - 1] : '{';

	if (before != '{' && before != '[')
		append(l, ",", 1);
	if (!key)
		return;
	append(l, "\"", 1);
	append_text(l, key);
	append(l, "\":", 2);
}

void json_line_start_untyped(struct json_line *l)
{
	l->len = 0;
	append(l, "{", 1);
}

void json_line_start(struct json_line *l, const char *type)
{
	json_line_start_untyped(l);
	json_line_string(l, "type", type);
}

void json_line_string(struct json_line *l, const char *key, const char *value)
{
	if (!value)
		return;
	append_key(l, key);
	append_string(l, value);
}

void json_line_u64(struct json_line *l, const char *key, u64 value)
{
	append_key(l, key);
	append_u64(l, value);
}

void json_line_number(struct json_line *l, const char *key, double value)
{
	char text[32];

	append_key(l, key);
	snprintf(text, sizeof(text), "%.6g", value);
	append_text(l, text);
}

void json_line_s64(struct json_line *l, const char *key, s64 value)
{
	append_key(l, key);
	if (value < 0)
		append(l, "-", 1);
	append_u64(l, value < 0 ? 0 - (u64)value : (u64)value);
}

void json_line_hex(struct json_line *l, const char *key, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", value);
	json_line_string(l, key, text);
}

void json_line_word(struct json_line *l, const char *key, const char *word)
{
	append_key(l, key);
	append_text(l, word);
}

void json_line_more(struct json_line *l, const char *text)
{
	append_text(l, text);
}

void json_line_true(struct json_line *l, const char *key, bool value)
{
	if (value)
		json_line_word(l, key, "true");
}

void json_line_open(struct json_line *l, const char *key, char bracket)
{
	append_key(l, key);
	append(l, &bracket, 1);
}

void json_line_close(struct json_line *l, char bracket)
{
	append(l, &bracket, 1);
}

void json_line_frame(struct json_line *l, const struct prof_frame *f)
{
	json_line_string(l, "kind", prof_kind_name(f->kind));
	json_line_string(l, "name", f->name);
	json_line_string(l, "file", f->file);
	if (f->line)
		json_line_u64(l, "line", f->line);
	if (f->column)
		json_line_u64(l, "column", f->column);
	if (f->start_line)
		json_line_u64(l, "start_line", f->start_line);
	if (f->start_column)
		json_line_u64(l, "start_column", f->start_column);
	json_line_string(l, "generated_file", f->generated_file);
	if (f->generated_line)
		json_line_u64(l, "generated_line", f->generated_line);
	if (f->generated_column)
		json_line_u64(l, "generated_column", f->generated_column);
	if (f->deferred)
		json_line_u64(l, "deferred", f->deferred);
	json_line_string(l, "module", f->module);
	json_line_string(l, "build_id", f->build_id);
	if (f->has_off)
		json_line_hex(l, "off", f->off);
	if (f->start_off)
		json_line_hex(l, "start_off", f->start_off);
	if (f->addr)
		json_line_hex(l, "addr", f->addr);
	json_line_string(l, "tier", f->tier);
	json_line_true(l, "inlined", f->inlined);
	json_line_true(l, "async", f->async);
	json_line_true(l, "guess", f->guess);
	json_line_true(l, "ignored", f->ignored);
	json_line_string(l, "reason", f->reason);
}

const char *json_line_end(struct json_line *l, size_t *len)
{
	append(l, "}", 1);
	*len = l->len;
	return l->no_memory ? NULL : l->buf;
}

static int write_bytes(struct json_line *l, size_t len, FILE *out)
{
	if (l->no_memory)
		return -ENOMEM;
	errno = 0;
	if (fwrite(l->buf, 1, len, out) != len)
		return errno ? -errno : -EIO;
	return 0;
}

int json_line_write(struct json_line *l, FILE *out)
{
	append(l, "}\n", 2);
	return write_bytes(l, l->len, out);
}

/* The last byte stays, because it decides whether a comma precedes the next key. */
int json_line_drain(struct json_line *l, FILE *out)
{
	int err = write_bytes(l, l->len - 1, out);

	if (err < 0)
		return err;
	l->buf[0] = l->buf[l->len - 1];
	l->len = 1;
	return 0;
}
