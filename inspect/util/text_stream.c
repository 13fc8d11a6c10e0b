/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_stream.h"

#include "array.h"
#include "cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static ssize_t keep(void *cookie, const char *bytes, size_t len)
{
	struct text_stream *s = cookie;

	if (array_reserve(s->text, s->room, s->len + len + 1))
		return 0; /* makes the stream report an error */
	memcpy(s->text + s->len, bytes, len);
	s->len += len;
	s->text[s->len] = '\0';
	return (ssize_t)len;
}

int text_stream_flush(FILE *f)
{
	if (fflush(f))
		return -errno;
	return ferror(f) ? -EIO : 0;
}

FILE *text_stream_open(struct text_stream *s)
{
	*s = (struct text_stream){ 0 };
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = keep });
}

int text_stream_close(struct text_stream *s, FILE *f, char **out, size_t *len)
{
	_cleanup_free_ char *text = NULL;
	bool is_whole = !text_stream_flush(f);

	fclose(f);
	if (!array_reserve(s->text, s->room, s->len + 1) && is_whole) {
		s->text[s->len] = '\0';
		*out = TAKE_PTR(s->text);
		*len = s->len;
	} else {
		is_whole = false;
	}
	text = s->text;
	*s = (struct text_stream){ 0 };
	return is_whole ? 0 : -ENOMEM;
}
