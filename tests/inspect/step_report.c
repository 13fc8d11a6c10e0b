/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEFT_OUT 0.5 /* % of all steps */
#define MAX_MOVED 3.0 /* % of the judged steps */

/* Prints the true stack and the walked stack of a miss. */
static void print_stacks(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;

	printf("pc %llx sp %llx, status %d; true return addresses and their slots | return "
	       "addresses of the walk\n",
	       s->pc, s->sp, s->status);
	for (u32 i = 0; i < 12; i++)
		printf("  %16llx at %16llx | %16llx\n", shadow_ra(&j->shadow, i),
		       i < j->shadow.n ? j->shadow.entries[j->shadow.n - 1 - i].addr : 0,
		       i + 1 < s->n_frames ? s->frames[i + 1].pc : 0);
	if (j->kind->print)
		j->kind->print(j);
}

void step_list_miss(struct step_judge *j, const char *form)
{
	const char *wanted = getenv("STEP_PRINT");
	char where[128], text[STEP_PLACE_LEN];
	size_t i;

	j->kind->describe(j, where, sizeof(where));
	snprintf(text, sizeof(text), "%-24s %s", form, where);
	if (wanted && strstr(text, wanted)) {
		printf("%s\n", text);
		print_stacks(j);
	}
	for (i = 0; i < j->n_places && strcmp(j->places[i].text, text); i++)
		;
	if (i == STEP_MAX_PLACES)
		return;
	if (i == j->n_places)
		strcpy(j->places[j->n_places++].text, text);
	j->places[i].n++;
}

static int compare_places(const void *a, const void *b)
{
	const struct step_place *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

static u64 sum(const u64 *figures, size_t n)
{
	u64 all = 0;

	while (n--)
		all += figures[n];
	return all;
}

static double percent_of(u64 part, u64 all)
{
	return 100.0 * (double)part / (double)(all ? all : 1);
}

/* Appends one line of JSON. */
static bool append_figures(const struct step_judge *j, double right, double moved, double left_out)
{
	const char *path = getenv("UNSPOOL_RESULTS"), *name = getenv("STEP_NAME");
	FILE *f;

	if (!path)
		return true;
	f = fopen(path, "ae");
	if (!f)
		return false;
	fprintf(f,
		"{\"test\": \"steps\", \"name\": \"%s\", \"judged\": %llu, \"exact\": %llu, "
		"\"by_name\": %llu, \"right_percent\": %.3f, \"moved_percent\": %.3f, "
		"\"left_out_percent\": %.3f}\n",
		name ? name : "", j->judged, j->verdicts[STEP_EXACT], j->verdicts[STEP_BY_NAME],
		right, moved, left_out);
	return !fclose(f);
}

bool step_report(struct step_judge *j, u64 n)
{
	const char *least = getenv("STEP_FAIL_UNDER");
	u64 good = j->verdicts[STEP_EXACT] + j->verdicts[STEP_BY_NAME];
	u64 moved = j->verdicts[STEP_MOVED];
	double right = percent_of(good, j->judged - moved);
	double moved_percent = percent_of(moved, j->judged);
	double left_out = percent_of(j->lost, j->recorded) + percent_of(j->open, j->judged);

	printf("%llu steps, %llu judged in %u windows: %llu exact, %llu right by name, together "
	       "%.3f %%, %llu misses; %.3f %% moved; %.3f %% left out: %llu without a shadow stack "
	       "(lost %u times), %llu with an unsettled name; %llu outside the program; controls "
	       "that agreed: %llu %llu %llu %llu; %llu walks spoiled, %llu of them detected\n",
	       j->steps, j->judged, j->windows, j->verdicts[STEP_EXACT], j->verdicts[STEP_BY_NAME],
	       right, j->verdicts[STEP_MISS], moved_percent, left_out, j->lost, j->shadow.n_lost,
	       j->open, j->outside, j->controls[0], j->controls[1], j->controls[2], j->controls[3],
	       j->spoiled, j->noticed);
	qsort(j->places, j->n_places, sizeof(j->places[0]), compare_places);
	for (size_t i = 0; i < j->n_places && i < 60; i++)
		printf("  %6llu  %s\n", j->places[i].n, j->places[i].text);
	if (!append_figures(j, right, moved_percent, left_out) || sum(j->controls, STEP_N_CONTROLS))
		return false;
	return !least || (j->judged >= n && right >= atof(least) && moved_percent <= MAX_MOVED &&
			  left_out <= MAX_LEFT_OUT);
}
