/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes the lines of the profile, unchanged. */

#include <errno.h>

#include "out.h"

static int write_line(void *sink, const char *text, size_t len)
{
	FILE *out = sink;

	if (fwrite(text, 1, len, out) != len || putc('\n', out) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

static int write_ndjson(struct prof_reader *in, FILE *out)
{
	return out_each_line(in, write_line, out);
}

const struct out_format out_ndjson = {
	.name = "ndjson",
	.suffix = "ndjson",
	.holds = PROF_ALL_FEATURES,
	.write = write_ndjson,
};
