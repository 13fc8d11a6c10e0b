/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/file_read.h"
#include "../../inspect/util/utf8.h"

int generated_text_read(struct generated_text *t, int fd, s64 max_len)
{
	_cleanup_free_ char *bytes = NULL;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > max_len)
		return S_ISREG(st.st_mode) ? -EFBIG : -EINVAL;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	err = file_read(fd, 0, bytes, (u64)st.st_size);
	if (err)
		return err;
	t->bytes = TAKE_PTR(bytes);
	t->len = (size_t)st.st_size;
	return 0;
}

void generated_text_deinit(struct generated_text *t)
{
	free(t->bytes);
	*t = (struct generated_text){ 0 };
}

static bool ends_line(u32 cp)
{
	return cp == '\n' || cp == '\r' || cp == 0x2028 || cp == 0x2029;
}

/* Returns the number of UTF-16 units of a character. */
static u32 units_of(u32 cp)
{
	return cp >= 0x10000 ? 2 : 1;
}

/* Returns the offset of the next line (CR LF is one line end), or @len after the last line. */
static size_t next_line(const struct generated_text *t, size_t at)
{
	u32 cp = 0;

	while (at < t->len && !ends_line(cp))
		at += utf8_decode(t->bytes + at, t->len - at, &cp);
	return cp == '\r' && at < t->len && t->bytes[at] == '\n' ? at + 1 : at;
}

int generated_text_before(const struct generated_text *t, u32 line, u32 column, char *out,
			  size_t len)
{
	u32 unit = 1, n = 0, first = column > len ? column - (u32)len : 1;
	size_t at = 0;

	if (!line || !column)
		return -ENOENT;
	for (u32 i = 1; i < line && at < t->len; i++)
		at = next_line(t, at);
	while (at < t->len && unit < column) {
		u32 cp;

		at += utf8_decode(t->bytes + at, t->len - at, &cp);
		if (ends_line(cp))
			return -ENOENT;
		for (u32 i = 0; i < units_of(cp) && unit < column; i++, unit++)
			if (unit >= first)
				out[n++] = cp < 0x80 ? (char)cp : (char)0x80;
	}
	return unit == column ? (int)n : -ENOENT;
}

bool generated_text_is_translated(const char *file)
{
	static const char *const ends[] = { ".ts", ".mts", ".cts", ".tsx", ".jsx" };
	size_t len = strlen(file);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len > n && !strcmp(file + len - n, ends[i]))
			return true;
	}
	return false;
}

/* Skips the byte order mark, which is no part of a script. */
static size_t text_start(const struct generated_text *t)
{
	return t->len >= 3 && !memcmp(t->bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

bool generated_text_has_lines(const struct generated_text *t, const u32 *starts, u32 n, u32 len)
{
	size_t at = text_start(t), next;
	u32 units = 0, i;

	for (i = 0; i < n && starts[i] == units; i++) {
		u32 cp = 0;

		for (next = next_line(t, at); at < next;) {
			at += utf8_decode(t->bytes + at, t->len - at, &cp);
			units += units_of(cp);
		}
		/* The last line of the file has no end; in the script, a line end may follow. */
		if (!ends_line(cp))
			return units == len || (i + 1 < n && units + 1 == starts[i + 1]);
	}
	return false;
}
