// SPDX-License-Identifier: BSD-2-Clause

#include "report.h"

#include "../case/stack.h"
#include "../case/where.h"
#include "../cmd/json_line.h"
#include "disasm.h"

#include <string.h>

const char *sweep_miss_words(const struct sweep_miss *m)
{
	return m->words ? m->words : sim_status_words(m->status);
}

static struct report_total *total_of(struct report *r, const struct report_case *rc)
{
	struct report_total *t = r->totals;

	while (t->arch && (strcmp(t->arch, rc->arch) != 0 || strcmp(t->engine, rc->engine) != 0))
		if (++t == r->totals + REPORT_MAX_TOTALS)
			return NULL;
	t->arch = rc->arch;
	t->engine = rc->engine;
	return t;
}

static void add_up(struct report *r, const struct report_case *rc)
{
	struct report_total *t = total_of(r, rc);

	if (!t || !rc->result)
		return;
	t->boundaries += rc->result->boundaries;
	t->exact += rc->result->exact;
	t->n_acceptable += rc->result->n_acceptable;
	t->n_lost_caller += rc->result->n_lost_caller;
	t->n_frameless += rc->result->n_frameless;
	t->n_pcs += rc->result->n_pcs;
}

/* Summarizes a case's result in one line. */
static void summarize(const struct report_case *rc, char *out, size_t size)
{
	const struct sweep_result *s = rc->result;
	const struct sweep_miss *m = s ? s->misses : NULL;
	char at[128], insn[128];

	while (m && m < s->misses + s->n_misses - 1 && m->is_known)
		m++;
	if (!s)
		snprintf(out, size, "%s", rc->error.text);
	else if (!s->n_misses)
		snprintf(out, size, "no instruction was checked");
	else
		snprintf(out, size, "%.3f %% exact, %llu of %llu boundaries; first miss at %s: %s",
			 sweep_percent(s->exact, s->boundaries), s->exact, s->boundaries,
			 sim_where(rc->c, m->pc, at, sizeof(at)),
			 sim_disasm(rc->c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn)));
}

int report_case(struct report *r, const struct report_case *rc)
{
	char words[512] = "";
	struct sim_verdict verdict = { rc->name, rc->arch, rc->engine, rc->outcome, words };
	int err = 0;

	r->n_cases++;
	r->n_failed += rc->outcome == SIM_FAILED;
	add_up(r, rc);
	report_table(r, rc);
	if (rc->outcome != SIM_PASSED)
		summarize(rc, words, sizeof(words));
	if (r->out->json)
		err = rc->result ? report_json(r->out->json, rc)
				 : sim_json_not_run(r->out->json, &verdict);
	return err ? err : sim_outputs_verdict(r->out, &verdict);
}

void report_end(struct report *r)
{
	for (u32 i = 0; i < REPORT_MAX_TOTALS && r->totals[i].arch; i++) {
		const struct report_total *t = &r->totals[i];
		u64 n_misses = t->boundaries - t->exact - t->n_acceptable;

		if (t->n_acceptable)
			fprintf(r->out->people, "%s, %s: %llu boundaries acceptable\n", t->arch,
				t->engine, t->n_acceptable);

		fprintf(r->out->people,
			"%s, %s: %llu of %llu boundaries exact (%.3f %%), in %llu different pairs "
			"of a case and a pc; "
			"%llu misses: %llu lose exactly the caller, %llu are wrong in other ways; "
			"%llu of all misses are outside of frameless code\n",
			t->arch, t->engine, t->exact, t->boundaries,
			sweep_percent(t->exact, t->boundaries), t->n_pcs, n_misses,
			t->n_lost_caller, n_misses - t->n_lost_caller, n_misses - t->n_frameless);
	}
}
