// SPDX-License-Identifier: BSD-2-Clause

/* Code shared by the formats that consist of the profile's lines. */

#include <errno.h>

#include "out.h"

int out_each_line(struct prof_reader *in, int (*line)(void *sink, const char *text, size_t len),
		  void *sink)
{
	struct prof_record record;
	int r;

	while ((r = prof_reader_next(in, &record)) == 1) {
		r = line(sink, record.line, record.len);
		if (r < 0)
			return r;
	}
	return r;
}

int out_put_line(void *stream, const char *text, size_t len)
{
	FILE *out = stream;

	if (fwrite(text, 1, len, out) != len || putc('\n', out) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}
