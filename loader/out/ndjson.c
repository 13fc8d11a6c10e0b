/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes the lines of the profile, unchanged. */

#include "out.h"

static int write_ndjson(struct prof_reader *in, FILE *out)
{
	return out_each_line(in, out_put_line, out);
}

const struct out_format out_ndjson = {
	.name = "ndjson",
	.suffix = "ndjson",
	.holds = PROF_ALL_FEATURES,
	.write = write_ndjson,
};
