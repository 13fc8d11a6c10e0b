/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes the lines of the profile, compressed with gzip by zlib. */

#include <errno.h>
#include <zlib.h>

#include "out.h"

struct gzip_sink {
	z_stream z;
	FILE *out;
};

static int feed(struct gzip_sink *s, const char *text, size_t len, int flush)
{
	u8 buf[1 << 14];

	s->z.next_in = (u8 *)text;
	s->z.avail_in = (u32)len;
	do {
		size_t n;

		s->z.next_out = buf;
		s->z.avail_out = sizeof(buf);
		deflate(&s->z, flush);
		n = sizeof(buf) - s->z.avail_out;
		if (fwrite(buf, 1, n, s->out) != n)
			return errno ? -errno : -EIO;
	} while (s->z.avail_out == 0);
	return 0;
}

static int write_line(void *sink, const char *text, size_t len)
{
	int err = feed(sink, text, len, Z_NO_FLUSH);

	return err < 0 ? err : feed(sink, "\n", 1, Z_NO_FLUSH);
}

static int write_gzip(struct prof_reader *in, FILE *out)
{
	struct gzip_sink s = { .out = out };
	int err;

	/* 15: the largest window; 16: with a gzip header */
	if (deflateInit2(&s.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -ENOMEM;
	err = out_each_line(in, write_line, &s);
	if (err == 0)
		err = feed(&s, "", 0, Z_FINISH);
	deflateEnd(&s.z);
	return err;
}

const struct out_format out_ndjson_gz = {
	.name = "ndjson.gz",
	.suffix = "ndjson.gz",
	.holds = PROF_ALL_FEATURES,
	.write = write_gzip,
};
