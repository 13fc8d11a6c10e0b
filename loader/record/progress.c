// SPDX-License-Identifier: BSD-2-Clause

#include "progress.h"

#include <stdio.h>

#include "../../inspect/util/clock.h"
#include "../../inspect/util/term.h"

/* 1234567 -> "1,234,567"; @buf holds 27 bytes. */
static const char *grouped(u64 n, char *buf)
{
	char *p = buf + 26;
	int digits = 0;

	*p = 0;
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
		digits++;
	} while (n /= 10);
	return p;
}

void progress_print(const struct progress *p)
{
	char name[80], runtime[80], n[27], lost[27];
	u64 s = p->elapsed_ns / NS_PER_S;

	term_escape(p->name ? p->name : "all processes", name, sizeof(name));
	term_escape(p->runtime ? p->runtime : "", runtime, sizeof(runtime));
	fprintf(stderr, "\r%s%s%s%s %02llu:%02llu %s samples", name, p->runtime ? " (" : "",
		runtime, p->runtime ? ")" : "", s / 60, s % 60, grouped(p->samples, n));
	if (p->samples)
		fprintf(stderr, "  %.1f %% complete",
			100.0 * (double)p->complete / (double)p->samples);
	fprintf(stderr, "  %s lost  Ctrl-C to finish \033[K", grouped(p->lost, lost));
	fflush(stderr);
}

void progress_clear(void)
{
	fputs("\r\033[K", stderr);
}
