/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes the lines of the profile, compressed with gzip. */

#include <errno.h>
#include <zlib.h>

#include "gzip_stream.h"
#include "out.h"

static int write_gzip(struct prof_reader *in, FILE *out)
{
	FILE *stream = gzip_stream_new(out, Z_DEFAULT_COMPRESSION);
	int err, end;

	if (!stream)
		return -ENOMEM;
	err = out_each_line(in, out_put_line, stream);
	end = gzip_stream_close(&stream);
	return err ? err : end;
}

const struct out_format out_ndjson_gz = {
	.name = "ndjson.gz",
	.suffix = "ndjson.gz",
	.holds = PROF_ALL_FEATURES,
	.write = write_gzip,
};
