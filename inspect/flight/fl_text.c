// SPDX-License-Identifier: BSD-2-Clause

#include "fl_text.h"

#include "../util/clock.h"

#include <string.h>

/* Prints a word in the format that the word's name determines. */
static void put_word(const struct fl_tables *t, const char *name, u64 word, FILE *out)
{
	char room[24];

	if (!strcmp(name, "time"))
		fprintf(out, "  %s %llu.%09llu", name, word / NS_PER_S, word % NS_PER_S);
	else if (!strcmp(name, "process"))
		fprintf(out, "  %s %u/%u", name, (u32)(word >> 32), (u32)word);
	else if (!strcmp(name, "status"))
		fprintf(out, "  %s \"%s\"", name, fl_status_words(t, word, room));
	else if (!strcmp(name, "frames") || !strcmp(name, "reads") || !strcmp(name, "len") ||
		 !strcmp(name, "module") || !strcmp(name, "count"))
		fprintf(out, "  %s %llu", name, word);
	else if (!strcmp(name, "error"))
		fprintf(out, "  %s %lld", name, (s64)word);
	else
		fprintf(out, "  %s 0x%llx", name, word);
}

/* Prints the detail of an entry. */
static void put_detail(const struct fl_tables *t, const struct fl_entry *e, FILE *out)
{
	char room[24];

	if (e->event == FLIGHT_MISS || e->event == FLIGHT_REFUSED)
		fprintf(out, ": %s", fl_note_words(t, e->detail, room));
	else if (e->event == FLIGHT_STEP || e->event == FLIGHT_END)
		fprintf(out, "  last %s", fl_kind_words(t, e->detail & 255, room));
	else if (e->event == FLIGHT_PROCESS && e->phase == FLIGHT_EXIT)
		fputs("  exit", out);
	if (e->event == FLIGHT_STEP && e->detail >> 24)
		fprintf(out, " by %s", fl_rule_words(t, e->detail >> 24, room));
	if (e->event == FLIGHT_END && e->took_ns != FLIGHT_NO_TIME)
		fprintf(out, "  took %u ns", e->took_ns);
}

void fl_text_entry(const struct fl_tables *t, const struct fl_entry *e, FILE *out)
{
	const struct fl_event_words *known = e->event < t->n_events ? &t->events[e->event] : NULL;
	char room[24];

	if (e->event < FLIGHT_PROCESS)
		fprintf(out, "#%u ", e->walk);
	fprintf(out, "%-8s", fl_event_name(t, e->event, room));
	for (u32 i = 0; i < e->n_words; i++) {
		if (known && i < FL_N_DECODED && known->word[i][0])
			put_word(t, known->word[i], e->d[i], out);
		else
			fprintf(out, "  0x%llx", e->d[i]);
	}
	put_detail(t, e, out);
}

void fl_text_words(const struct fl_entry *e, FILE *out)
{
	fprintf(out, "%016llx %02x %u %08x %08x", e->index, e->event, e->phase, e->took_ns,
		e->detail);
	for (u32 i = 0; i < e->n_words; i++)
		fprintf(out, " %016llx", e->d[i]);
}
