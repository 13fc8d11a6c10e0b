/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "../../inspect/util/cleanup.h"
#include "page.h"

enum codec { CODEC_UNKNOWN, CODEC_PLAIN, CODEC_GZIP, CODEC_ZSTD };

struct source {
	int fd;
	enum codec codec;
	bool fd_ended;
	bool is_page;
	struct page page; /* if is_page */
	bool in_the_middle; /* the last byte read is inside a gzip member or a zstd frame */
	z_stream gzip;
	ZSTD_DStream *zstd;
	size_t at, n; /* unread part of in */
	u8 in[1 << 16];
};

int source_new(int fd, struct source **source)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->fd = fd;
	*source = s;
	return 0;
}

void source_free(struct source **source)
{
	struct source *s = *source;

	if (!s)
		return;
	if (s->codec == CODEC_GZIP)
		inflateEnd(&s->gzip);
	ZSTD_freeDStream(s->zstd);
	close(s->fd);
	free(s);
	*source = NULL;
}

/* Decodes the last @n bytes of in, which are a part of a page. */
static int fill_from_page(struct source *s, size_t n)
{
	u8 *bytes = s->in + s->n;
	ssize_t decoded = page_decode(&s->page, bytes, n, bytes);

	if (decoded < 0)
		return (int)decoded;
	s->n += (size_t)decoded;
	return 0;
}

/* Reads more bytes into in. */
static int fill(struct source *s)
{
	ssize_t n;

	if (s->at == s->n)
		s->at = s->n = 0;
	if (s->n == sizeof(s->in))
		return -EBADMSG; /* the decoder consumes nothing of a full buffer of 64 KiB */
	do
		n = read(s->fd, s->in + s->n, sizeof(s->in) - s->n);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	s->fd_ended = n == 0;
	if (s->is_page)
		return fill_from_page(s, (size_t)n);
	s->n += (size_t)n;
	return 0;
}

/* Decodes the bytes in in, which are the start of a page, and then enough for find_codec(). */
static int start_page(struct source *s, size_t enough)
{
	size_t n = s->n;
	int err;

	s->is_page = true;
	s->n = 0;
	err = fill_from_page(s, n);
	while (err == 0 && s->n < enough && !s->fd_ended)
		err = fill(s);
	return err;
}

/* RFC 1952, section 2.3.1; RFC 8878, section 3.1.1. */
static int find_codec(struct source *s)
{
	static const u8 gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	int err;

	while (s->n < sizeof(zstd) && !s->fd_ended) {
		err = fill(s);
		if (err < 0)
			return err;
	}
	if (page_is_html(s->in, s->n)) {
		err = start_page(s, sizeof(zstd));
		if (err < 0)
			return err;
	}
	if (s->n >= sizeof(gzip) && memcmp(s->in, gzip, sizeof(gzip)) == 0) {
		/* 15: the largest window; 16: gzip only */
		if (inflateInit2(&s->gzip, 15 + 16) != Z_OK)
			return -ENOMEM;
		s->codec = CODEC_GZIP;
	} else if (s->n >= sizeof(zstd) && memcmp(s->in, zstd, sizeof(zstd)) == 0) {
		s->zstd = ZSTD_createDStream();
		if (!s->zstd)
			return -ENOMEM;
		s->codec = CODEC_ZSTD;
	} else {
		s->codec = CODEC_PLAIN;
	}
	return 0;
}

/* Decoders read from in and write to @buf. Return the number of bytes or a negative errno. */

static ssize_t step_plain(struct source *s, char *buf, size_t size)
{
	size_t n = s->n - s->at < size ? s->n - s->at : size;

	memcpy(buf, s->in + s->at, n);
	s->at += n;
	return (ssize_t)n;
}

static ssize_t step_gzip(struct source *s, char *buf, size_t size)
{
	int r;

	if (!s->in_the_middle && s->at < s->n)
		inflateReset(&s->gzip);
	s->gzip.next_in = s->in + s->at;
	s->gzip.avail_in = (u32)(s->n - s->at);
	s->gzip.next_out = (u8 *)buf;
	s->gzip.avail_out = (u32)size;
	r = inflate(&s->gzip, Z_NO_FLUSH);
	s->at = s->n - s->gzip.avail_in;
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	s->in_the_middle = r != Z_STREAM_END;
	return (ssize_t)(size - s->gzip.avail_out);
}

static ssize_t step_zstd(struct source *s, char *buf, size_t size)
{
	ZSTD_inBuffer in = { s->in, s->n, s->at };
	ZSTD_outBuffer out = { buf, size, 0 };
	size_t r = ZSTD_decompressStream(s->zstd, &out, &in);

	if (ZSTD_isError(r))
		return -EBADMSG;
	s->at = in.pos;
	s->in_the_middle = r != 0;
	return (ssize_t)out.pos;
}

static ssize_t step(struct source *s, char *buf, size_t size)
{
	bool nothing_left = s->at == s->n && !s->in_the_middle;

	if (nothing_left || s->codec == CODEC_PLAIN)
		return step_plain(s, buf, size);
	return s->codec == CODEC_GZIP ? step_gzip(s, buf, size) : step_zstd(s, buf, size);
}

void source_resume(struct source *s)
{
	s->fd_ended = false;
}

ssize_t source_read(struct source *s, char *buf, size_t size)
{
	int err = s->codec == CODEC_UNKNOWN ? find_codec(s) : 0;

	if (err < 0)
		return err;
	for (;;) {
		size_t before = s->n - s->at;
		ssize_t n = step(s, buf, size);

		if (n != 0)
			return n;
		if (s->n - s->at != before)
			continue;
		if (s->fd_ended)
			return s->in_the_middle ? -ENODATA : 0;
		err = fill(s);
		if (err < 0)
			return err;
	}
}
