// SPDX-License-Identifier: BSD-2-Clause

/*
 * Prints a case of a sweep as JSON lines: a line for the case, and a line for each missed
 * instruction.
 */

#include "report.h"

#include "../case/stack.h"
#include "../case/where.h"
#include "../cmd/json_line.h"
#include "disasm.h"

static json_t *pc_list(const u64 *pcs, u32 n)
{
	json_t *list = json_array();

	for (u32 i = 0; i < n; i++)
		json_array_append_new(list, sim_json_hex(pcs[i]));
	return list;
}

static json_t *miss_json(const struct report_case *rc, const struct sweep_miss *m)
{
	const struct sim_function *fn = sim_function_at(rc->c, m->pc);
	char insn[128];
	json_t *o;

	sim_disasm(rc->c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn));
	o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:s?, s:s, s:o, s:o, s:s, s:I, s:I}", "type",
		      "miss", "case", rc->name, "arch", rc->arch, "engine", rc->engine, "pc",
		      sim_json_hex(m->pc), "function", fn ? fn->name : NULL, "insn", insn,
		      "expected", pc_list(m->expected, m->n_expected), "found",
		      pc_list(m->found, m->n_found), "status", sweep_miss_words(m), "count",
		      (json_int_t)m->n, "lost_caller", (json_int_t)m->n_lost_caller);
	if (o && m->wanted_status < UW_N_STATUS)
		json_object_set_new(o, "expected_status",
				    json_string(sim_status_words(m->wanted_status)));
	if (o && rc->known)
		json_object_set_new(o, "known", json_boolean(m->is_known));
	if (o && m->frameless)
		json_object_set_new(o, "frameless", json_string(m->frameless));
	return o;
}

static json_t *gone_json(const struct report_case *rc)
{
	json_t *list = json_array();
	const char *gone;

	for (u32 at = 0; (gone = known_gone(rc->known, rc->c->arch, &at));)
		json_array_append_new(list, json_string(gone));
	return list;
}

static json_t *case_json(const struct report_case *rc)
{
	const struct sweep_result *s = rc->result;
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "type", "sweep",
			      "case", rc->name, "arch", rc->arch, "engine", rc->engine,
			      "boundaries", (json_int_t)s->boundaries, "exact",
			      (json_int_t)s->exact, "lost_caller", (json_int_t)s->n_lost_caller,
			      "frameless", (json_int_t)s->n_frameless, "pcs", (json_int_t)s->n_pcs,
			      "missed_pcs", (json_int_t)s->n_misses);

	if (o && rc->known)
		json_object_set_new(o, "new_pcs", json_integer(rc->n_new));
	if (o && rc->known && s->every == 1)
		json_object_set_new(o, "gone", gone_json(rc));
	if (o && s->has_verdicts) {
		json_object_set_new(o, "acceptable", json_integer((json_int_t)s->n_acceptable));
		json_object_set_new(o, "wrong", json_integer((json_int_t)sweep_n_wrong(s)));
		json_object_set_new(o, "unanswered", json_integer((json_int_t)s->n_unanswered));
	}
	if (o && s->every > 1)
		json_object_set_new(o, "every", json_integer(s->every));
	return o;
}

int report_json(FILE *f, const struct report_case *rc)
{
	int err = sim_json_line(f, case_json(rc));

	for (u32 i = 0; i < rc->result->n_misses && !err; i++)
		err = sim_json_line(f, miss_json(rc, &rc->result->misses[i]));
	return err;
}
