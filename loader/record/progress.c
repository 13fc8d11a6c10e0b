// SPDX-License-Identifier: BSD-2-Clause

#include "progress.h"

#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../report/cell.h"

#define MIN_NAME 12 /* columns; a narrower terminal shortens the text after the name first */

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

#define N_TAILS 4

/*
 * Makes the candidates for the text after the name. The first is the longest; the last has only the
 * time and the number of samples.
 */
static void make_tails(const struct progress *p, char tails[N_TAILS][128])
{
	char n[27], lost[27], complete[32] = "";
	u64 s = p->elapsed_ns / NS_PER_S;
	int len;

	if (p->samples)
		snprintf(complete, sizeof(complete), "  %.1f %% complete",
			 100.0 * (double)p->complete / (double)p->samples);
	for (u32 i = 0; i < N_TAILS; i++) {
		len = snprintf(tails[i], sizeof(tails[i]), "%02llu:%02llu %s samples", s / 60,
			       s % 60, grouped(p->samples, n));
		snprintf(tails[i] + len, sizeof(tails[i]) - (size_t)len, "%s%s%s%s",
			 i < 3 ? complete : "", i < 2 ? "  " : "",
			 i < 2 ? grouped(p->lost, lost) : "",
			 i == 0	  ? " lost  Ctrl-C to finish"
			 : i == 1 ? " lost"
				  : "");
	}
}

void progress_print(FILE *out, const struct progress *p, u32 width)
{
	_cleanup_free_ char *name = cell_escape(p->name ? p->name : "all processes");
	_cleanup_free_ char *runtime = p->runtime ? cell_escape(p->runtime) : NULL;
	char tails[N_TAILS][128];
	u32 tail = 0, room, wanted;

	if (!name)
		return;
	/* A character in the last column would move the cursor to the next line in some terminals.
	 */
	width = width > 1 ? width - 1 : width;
	make_tails(p, tails);
	while (tail < N_TAILS - 1 && cell_width(tails[tail]) + 1 + MIN_NAME > width)
		tail++;
	room = width - (u32)strlen(tails[tail]);
	room = strlen(tails[tail]) < width ? room : 0;
	wanted = cell_width(name) + 1;
	fputs("\r", out);
	if (room > 1)
		cell_print(out, name, room - 1, CELL_CUT_END, false);
	if (runtime && wanted + cell_width(runtime) + 3 <= room)
		fprintf(out, " (%s)", runtime);
	if (room > 1)
		fputc(' ', out);
	cell_print(out, tails[tail], width, CELL_CUT_END, false);
	fputs("\033[K", out);
	fflush(out);
}

void progress_clear(FILE *out)
{
	fputs("\r\033[K", out);
}
