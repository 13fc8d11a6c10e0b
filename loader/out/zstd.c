/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes the lines of the profile, compressed by libzstd with a checksum. */

#include <errno.h>
#include <zstd.h>

#include "out.h"

struct zstd_sink {
	ZSTD_CStream *z;
	FILE *out;
};

static int feed(struct zstd_sink *s, const char *text, size_t len, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { text, len, 0 };
	char buf[1 << 14];
	size_t left;

	do {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };

		left = ZSTD_compressStream2(s->z, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		if (fwrite(buf, 1, out.pos, s->out) != out.pos)
			return errno ? -errno : -EIO;
	} while (end == ZSTD_e_end ? left != 0 : in.pos < in.size);
	return 0;
}

static int write_line(void *sink, const char *text, size_t len)
{
	int err = feed(sink, text, len, ZSTD_e_continue);

	return err < 0 ? err : feed(sink, "\n", 1, ZSTD_e_continue);
}

static int write_zstd(struct prof_reader *in, FILE *out)
{
	struct zstd_sink s = { .z = ZSTD_createCStream(), .out = out };
	int err = -ENOMEM;

	if (!s.z)
		return err;
	if (!ZSTD_isError(ZSTD_CCtx_setParameter(s.z, ZSTD_c_checksumFlag, 1)))
		err = out_each_line(in, write_line, &s);
	if (err == 0)
		err = feed(&s, "", 0, ZSTD_e_end);
	ZSTD_freeCStream(s.z);
	return err;
}

const struct out_format out_ndjson_zst = {
	.name = "ndjson.zst",
	.suffix = "ndjson.zst",
	.holds = PROF_ALL_FEATURES,
	.write = write_zstd,
};
