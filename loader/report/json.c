/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	{"samples": N, "hz": 99, "process": "server.js", "pid": 812, "sections": [{"id": "tree",
 *	 "rows": [{"depth": 0, "self": 3, "total": 9, "name": "f", "where": "/a.js:1",
 *	           "native": 2}]}]}
 *
 * The output is one line; self and total are numbers of samples. "native": 2 means that 2
 * samples of self are native code; such parts are listed by origin.
 */

#include "../profile/json_line.h"
#include "section.h"

static void put_row(struct json_line *l, const struct section *s, const struct query_row *row)
{
	json_line_open(l, NULL, '{');
	json_line_u64(l, "depth", row->depth);
	json_line_u64(l, "self", row->self);
	json_line_u64(l, "total", row->total);
	json_line_string(l, "name", row->name);
	json_line_string(l, "where", row->where);
	for (u32 i = ORIGIN_APP + 1; i < N_ORIGINS && s->query.only == QUERY_APP; i++)
		if (row->of_origin[i])
			json_line_u64(l, origin_name(i), row->of_origin[i]);
	json_line_close(l, '}');
}

static void put_section(struct json_line *l, const struct section *s)
{
	json_line_open(l, NULL, '{');
	json_line_string(l, "id", s->id);
	json_line_u64(l, "samples", s->result.samples);
	json_line_open(l, "rows", '[');
	for (u32 i = 0; i < s->result.n; i++)
		put_row(l, s, &s->result.rows[i]);
	json_line_close(l, ']');
	json_line_close(l, '}');
}

int sections_json(FILE *out, const struct prof_data *d, const struct section *v, u32 n)
{
	struct json_line l = { 0 };
	const struct data_process *p = data_busiest(d);
	int err;

	json_line_start_untyped(&l);
	json_line_u64(&l, "samples", d->samples);
	json_line_u64(&l, "hz", d->hz);
	if (p) {
		json_line_string(&l, "process", p->process.name);
		json_line_u64(&l, "pid", p->process.pid);
		json_line_string(&l, "runtime", p->process.runtime);
	}
	json_line_open(&l, "sections", '[');
	for (u32 i = 0; i < n; i++)
		put_section(&l, &v[i]);
	json_line_close(&l, ']');
	err = json_line_write(&l, out);
	json_line_deinit(&l);
	return err;
}
