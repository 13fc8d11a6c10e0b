// SPDX-License-Identifier: BSD-2-Clause

#include "gzip_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "../../core/types.h"
#include "../../inspect/util/cleanup.h"

struct gzip_stream {
	z_stream z;
	FILE *out;
};

static int feed(struct gzip_stream *s, const char *bytes, size_t len, int flush)
{
	u8 buf[1 << 14];

	s->z.next_in = (u8 *)bytes;
	s->z.avail_in = (u32)len;
	do {
		size_t n;

		s->z.next_out = buf;
		s->z.avail_out = sizeof(buf);
		deflate(&s->z, flush);
		n = sizeof(buf) - s->z.avail_out;
		if (fwrite(buf, 1, n, s->out) != n)
			return -1;
	} while (s->z.avail_out == 0);
	return 0;
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t len)
{
	return feed(cookie, bytes, len, Z_NO_FLUSH) < 0 ? 0 : (ssize_t)len;
}

static int close_stream(void *cookie)
{
	struct gzip_stream *s = cookie;
	int err = feed(s, "", 0, Z_FINISH);

	deflateEnd(&s->z);
	free(s);
	return err;
}

FILE *gzip_stream_new(FILE *out, int level)
{
	const cookie_io_functions_t io = { .write = write_bytes, .close = close_stream };
	_cleanup_free_ struct gzip_stream *s = calloc(1, sizeof(*s));
	FILE *f;

	/* 15: the largest window; 16: with a gzip header */
	if (!s || deflateInit2(&s->z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		return NULL;
	s->out = out;
	f = fopencookie(s, "w", io);
	if (!f) {
		deflateEnd(&s->z);
		return NULL;
	}
	TAKE_PTR(s);
	return f;
}

int gzip_stream_close(FILE **f)
{
	FILE *stream = *f;
	bool failed = stream && ferror(stream);

	*f = NULL;
	errno = 0;
	if (stream && (fclose(stream) || failed))
		return errno ? -errno : -EIO;
	return 0;
}
