// SPDX-License-Identifier: BSD-2-Clause

/*
 * The table: a row for each case in an engine, followed by the first missed instructions.
 *
 *	exact %   of all boundaries
 *	misses    number of boundaries that are neither exact nor acceptable; of these:
 *	caller    lose the direct caller and nothing else
 *	others    are wrong in other ways
 *	frameless are in code that the case marks as frameless
 */

#include "report.h"

#include "../case/stack.h"
#include "../case/where.h"
#include "disasm.h"

static void print_frames(FILE *f, const struct sim_case *c, const char *title, const u64 *pcs,
			 u32 n)
{
	u32 shown = n > 8 ? 8 : n;
	char at[128];

	fprintf(f, "      %-8s", title);
	for (u32 i = 0; i < shown; i++)
		fprintf(f, " %s", sim_where(c, pcs[i], at, sizeof(at)));
	fprintf(f, n > shown ? " and %u more\n" : "\n", n - shown);
}

static void print_miss(FILE *f, const struct sim_case *c, const struct sweep_miss *m)
{
	char at[128], insn[128];

	fprintf(f, "    %s  %s  (%llu times; %s", sim_where(c, m->pc, at, sizeof(at)),
		sim_disasm(c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn)), m->n,
		sweep_miss_words(m));
	if (!m->words && m->wanted_status < UW_N_STATUS && m->wanted_status != m->status)
		fprintf(f, ", expected %s", sim_status_words(m->wanted_status));
	fprintf(f, "%s%s)\n", m->frameless ? "; in frameless code: " : "",
		m->frameless ? m->frameless : "");
	print_frames(f, c, "expected", m->expected, m->n_expected);
	print_frames(f, c, "found", m->found, m->n_found);
}

/* Prints up to @n_shown misses that are not in the list. */
static void print_misses(FILE *f, const struct report_case *rc, u32 n_shown)
{
	const struct sweep_result *s = rc->result;
	u32 n = 0;

	for (u32 i = 0; i < s->n_misses; i++)
		if (!s->misses[i].is_known && n++ < n_shown)
			print_miss(f, rc->c, &s->misses[i]);
	if (n_shown && n > n_shown)
		fprintf(f, "    and %u more instructions\n", n - n_shown);
}

static void print_header(FILE *f)
{
	fprintf(f, "%-40s %-7s %-7s %10s %10s %8s %9s %9s %9s %9s %7s\n", "case", "arch", "engine",
		"boundaries", "exact", "exact %", "misses", "caller", "others", "frameless", "pcs");
}

/* Prints how the misses compare with the list of known misses. */
static void print_known(FILE *f, const struct report_case *rc)
{
	const char *gone;
	u32 at = 0;

	if (rc->is_updated)
		fprintf(f,
			"    the new list has %u missed places, of which %u were not in the old "
			"list\n",
			rc->result->n_misses, rc->n_new);
	else if (rc->known && rc->result->n_misses)
		fprintf(f, "    %u of %u missed places are not in the list\n", rc->n_new,
			rc->result->n_misses);
	while (rc->known && rc->result->every == 1 &&
	       (gone = known_gone(rc->known, rc->c->arch, &at)))
		fprintf(f, "    the list contains a place that was not missed: %s\n", gone);
}

void report_table(struct report *r, const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	FILE *f = r->out->people;
	u64 n_misses;

	if (r->is_quiet && rc->outcome == SIM_PASSED)
		return;
	if (!r->has_header)
		print_header(f);
	r->has_header = true;
	if (!s) {
		fprintf(f, "%-40s %-7s %-7s not run: %s\n", rc->name, rc->arch, rc->engine,
			rc->error.text);
		return;
	}
	n_misses = sweep_n_wrong(s);
	fprintf(f, "%-40s %-7s %-7s %10llu %10llu %8.3f %9llu %9llu %9llu %9llu %7u\n", rc->name,
		rc->arch, rc->engine, s->boundaries, s->exact,
		sweep_percent(s->exact, s->boundaries), n_misses, s->n_lost_caller,
		n_misses - s->n_lost_caller, s->n_frameless, s->n_pcs);
	if (s->has_verdicts)
		fprintf(f,
			"    %llu exact, %llu acceptable, %llu wrong, %llu of these without an "
			"answer\n",
			s->exact, s->n_acceptable, n_misses, s->n_unanswered);
	print_known(f, rc);
	print_misses(f, rc, r->n_shown);
}
