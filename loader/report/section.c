/* SPDX-License-Identifier: BSD-2-Clause */
#include "section.h"

#include <stdlib.h>

#include "../../inspect/util/text_stream.h"

#define MIN_NOTED 1.0 /* percent */

const char *section_self(const struct section *s)
{
	return s->query.only == QUERY_APP ? "own" : "self";
}

double section_percent(u64 n, u64 of)
{
	double p = of ? 100.0 * (double)n / (double)of : 0;

	if (n && p < 0.1)
		return 0.1;
	return n < of && p > 99.9 ? 99.9 : p;
}

char *section_note(const struct section *s, const struct query_row *row)
{
	struct text_stream stream;
	FILE *out = text_stream_open(&stream);
	const char *gap = "";
	char *text = NULL;
	size_t len;

	if (!out)
		return NULL;
	for (u32 i = 0; i < N_ORIGINS && s->query.only == QUERY_APP; i++) {
		double share = section_percent(row->of_origin[i], s->samples);

		if (i == ORIGIN_APP || share < MIN_NOTED)
			continue;
		fprintf(out, "%s%s %.1f %%", gap, origin_name(i), share);
		gap = ", ";
	}
	return text_stream_close(&stream, out, &text, &len) ? NULL : text;
}
