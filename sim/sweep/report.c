// SPDX-License-Identifier: BSD-2-Clause

#include "report.h"

#include "../stack.h"
#include "../where.h"
#include "disasm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

	fprintf(f, "    %s  %s  (%llu times; %s)\n", sim_where(c, m->pc, at, sizeof(at)),
		sim_disasm(c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn)), m->n,
		sim_status_words(m->status));
	print_frames(f, c, "expected", m->expected, m->n_expected);
	print_frames(f, c, "found", m->found, m->n_found);
}

void report_table(struct report *r, const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	u64 n_wrong;

	if (!r->has_header)
		fprintf(r->table, "%-40s %-7s %-7s %10s %10s %8s %10s %7s\n", "case", "arch",
			"engine", "boundaries", "exact", "exact %", "no caller", "pcs");
	r->has_header = true;
	if (!s) {
		fprintf(r->table, "%-40s %-7s %-7s not run: %s\n", rc->name, rc->arch, rc->engine,
			rc->error);
		return;
	}
	n_wrong = s->boundaries - s->exact;
	fprintf(r->table, "%-40s %-7s %-7s %10llu %10llu %8.3f %10llu %7u%s\n", rc->name, rc->arch,
		rc->engine, s->boundaries, s->exact, sweep_percent(s->exact, s->boundaries),
		s->n_lost_caller, s->n_pcs,
		n_wrong > s->n_lost_caller ? "  (others are wrong in other ways)" : "");
	for (u32 i = 0; i < s->n_misses && i < r->n_shown; i++)
		print_miss(r->table, rc->c, &s->misses[i]);
	if (r->n_shown && s->n_misses > r->n_shown)
		fprintf(r->table, "    and %u more instructions\n", s->n_misses - r->n_shown);
}

static void add_up(struct report *r, const struct report_case *rc)
{
	struct report_total *t = r->totals;

	if (t->arch && strcmp(t->arch, rc->arch) != 0)
		t++;
	t->arch = rc->arch;
	if (!rc->result)
		return;
	t->boundaries += rc->result->boundaries;
	t->exact += rc->result->exact;
	t->n_pcs += rc->result->n_pcs;
}

static void print_totals(const struct report *r)
{
	for (u32 i = 0; i < 2 && r->totals[i].arch; i++) {
		const struct report_total *t = &r->totals[i];

		fprintf(r->table,
			"%s: %llu of %llu boundaries exact (%.3f %%), %llu different (case, pc)\n",
			t->arch, t->exact, t->boundaries, sweep_percent(t->exact, t->boundaries),
			t->n_pcs);
	}
}

/* GitHub's workflow commands: %, CR and LF are escaped. */
static void print_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n')
			fprintf(f, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, f);
	}
}

void report_github(FILE *f, const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	char text[512], at[128], insn[128];

	if (!rc->failed)
		return;
	if (!s)
		snprintf(text, sizeof(text), "%s", rc->error);
	else if (!s->n_misses)
		snprintf(text, sizeof(text), "no instruction was looked at");
	else
		snprintf(text, sizeof(text), "%.3f %% exact; first miss at %s: %s",
			 sweep_percent(s->exact, s->boundaries),
			 sim_where(rc->c, s->misses[0].pc, at, sizeof(at)),
			 sim_disasm(rc->c->arch, s->misses[0].code, s->misses[0].code_len,
				    s->misses[0].pc, insn, sizeof(insn)));
	fprintf(f, "::error title=sweep ");
	print_escaped(f, rc->name);
	fprintf(f, " %s::", rc->arch);
	print_escaped(f, text);
	fputc('\n', f);
}

int report_case(struct report *r, const struct report_case *rc)
{
	int err = 0;

	r->n_cases++;
	r->n_failed += rc->failed;
	add_up(r, rc);
	if (r->table)
		report_table(r, rc);
	if (r->json)
		err = report_json(r->json, rc);
	if (r->junit && !err)
		err = report_junit(r, rc);
	if (r->github)
		report_github(r->github, rc);
	return err;
}

static int flush(FILE *f)
{
	return f && (fflush(f) || ferror(f)) ? -EIO : 0;
}

int report_end(struct report *r)
{
	int err;

	if (r->table)
		print_totals(r);
	if (r->junit)
		report_junit_end(r);
	err = flush(r->table) | flush(r->json) | flush(r->junit) | flush(r->github);
	return err ? -EIO : 0;
}
