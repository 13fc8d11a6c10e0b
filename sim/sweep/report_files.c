// SPDX-License-Identifier: BSD-2-Clause

/* What machines read: JSON lines and JUnit's XML. */

#include "report.h"

#include "../stack.h"
#include "../where.h"
#include "disasm.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

static int print_object(FILE *f, json_t *o)
{
	int err = o ? json_dumpf(o, f, JSON_COMPACT) : -1;

	json_decref(o);
	fputc('\n', f);
	return err ? -ENOMEM : 0;
}

static json_t *hex(u64 pc)
{
	return json_sprintf("0x%llx", pc);
}

static json_t *pc_list(const u64 *pcs, u32 n)
{
	json_t *list = json_array();

	for (u32 i = 0; i < n; i++)
		json_array_append_new(list, hex(pcs[i]));
	return list;
}

static int print_miss(FILE *f, const struct report_case *rc, const struct sweep_miss *m)
{
	const struct sim_function *fn = sim_function_at(rc->c, m->pc);
	char insn[128];

	sim_disasm(rc->c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn));
	return print_object(f, json_pack("{s:s, s:s, s:s, s:s, s:o, s:s?, s:s, s:o, s:o, s:s, s:I}",
					 "type", "miss", "case", rc->name, "arch", rc->arch,
					 "engine", rc->engine, "pc", hex(m->pc), "function",
					 fn ? fn->name : NULL, "insn", insn, "expected",
					 pc_list(m->expected, m->n_expected), "found",
					 pc_list(m->found, m->n_found), "status",
					 sim_status_words(m->status), "count", (json_int_t)m->n));
}

int report_json(FILE *f, const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	int err;

	if (!s)
		return print_object(f, json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "error",
						 "case", rc->name, "arch", rc->arch, "engine",
						 rc->engine, "error", rc->error));
	err = print_object(f, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "type",
					"sweep", "case", rc->name, "arch", rc->arch, "engine",
					rc->engine, "boundaries", (json_int_t)s->boundaries,
					"exact", (json_int_t)s->exact, "lost_caller",
					(json_int_t)s->n_lost_caller, "pcs", (json_int_t)s->n_pcs,
					"missed_pcs", (json_int_t)s->n_misses));
	for (u32 i = 0; i < s->n_misses && !err; i++)
		err = print_miss(f, rc, &s->misses[i]);
	return err;
}

static void print_xml(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<' || c == '>' || c == '&' || c == '"')
			fprintf(f, "&#%u;", c);
		else
			fputc(c < ' ' || c == 0x7f ? '?' : c, f);
	}
}

int report_junit(struct report *r, const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	FILE *f;

	if (!r->junit_body)
		r->junit_body = open_memstream(&r->junit_cases, &r->junit_len);
	f = r->junit_body;
	if (!f)
		return -ENOMEM;
	fprintf(f, "  <testcase classname=\"%s.%s\" name=\"", rc->arch, rc->engine);
	print_xml(f, rc->name);
	fputs(rc->failed ? "\">\n    <failure message=\"" : "\"", f);
	if (rc->failed && s)
		fprintf(f, "%.3f %% exact: %llu of %llu boundaries",
			sweep_percent(s->exact, s->boundaries), s->exact, s->boundaries);
	else if (rc->failed)
		print_xml(f, rc->error);
	fputs(rc->failed ? "\"/>\n  </testcase>\n" : "/>\n", f);
	return 0;
}

void report_junit_end(struct report *r)
{
	if (r->junit_body)
		fclose(r->junit_body);
	fprintf(r->junit,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"sweep\" tests=\"%u\" failures=\"%u\">\n%s</testsuite>\n",
		r->n_cases, r->n_failed, r->junit_cases ? r->junit_cases : "");
	free(r->junit_cases);
	r->junit_body = NULL;
	r->junit_cases = NULL;
}
