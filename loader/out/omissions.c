/* SPDX-License-Identifier: BSD-2-Clause */

/* The parts of a profile that an output format does not hold. */

#include <string.h>

#include "../../inspect/util/cli.h"
#include "out.h"

bool out_writes_threads(const struct out_format *format, const char *path)
{
	return format->write_threads && strstr(path, "%t");
}

bool out_omissions(const struct out_format *format, const struct prof_reader *in, const char *path,
		   char *text, size_t size)
{
	u32 by_file = out_writes_threads(format, path) ? PROF_FEATURE(THREADS) : 0;
	u32 omitted = prof_reader_features(in) & ~(format->holds | by_file);
	const char *gap = " does not hold the ";
	bool hint;
	size_t len;

	if (!omitted || size == 0)
		return false;
	hint = format->write_threads && (omitted & PROF_FEATURE(THREADS));
	len = (size_t)snprintf(text, size, "%s", strcmp(path, "-") ? path : "the output");
	for (u32 i = 0; i < PROF_N_FEATURES && len < size; i++) {
		if (!(omitted & 1u << i))
			continue;
		omitted &= ~(1u << i);
		len += (size_t)snprintf(text + len, size - len, "%s%s", gap, prof_feature_words(i));
		gap = omitted & (omitted - 1) ? ", " : " and ";
	}
	if (len < size)
		snprintf(text + len, size - len, " of the profile; .ndjson does%s",
			 hint ? "; it has the thread with the most samples; with %t in its name, "
				"each thread gets a file"
			      : "");
	return true;
}

void out_print_omissions(const struct out_format *format, const struct prof_reader *in,
			 const char *path)
{
	char text[512];

	if (out_omissions(format, in, path, text, sizeof(text)))
		cli_error("note: %s", text);
}
