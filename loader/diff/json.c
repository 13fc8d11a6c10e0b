/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	{"before": {"file": "a.ndjson", "samples": 2931, "hz": 99, "seconds": 30.0},
 *	 "after": {...}, "unit": "%", "level": 0.01, "changed": 2, "notes": [],
 *	 "functions": [{"name": "render", "where": "/srv/view.js:88", "where_before":
 *"/srv/view.js:87", "self": {"before": 10.1, "after": 15.3, "change": 5.2, "plus_minus": 1.7, "p":
 *0.0001, "beyond_noise": true}, "total": {...}}]}
 *
 * The output is one line. A function that is in only one profile has only its place in this one.
 */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/json_line.h"
#include "print.h"

static void put_side(struct json_line *l, const char *key, const struct diff_side *s)
{
	json_line_open(l, key, '{');
	json_line_string(l, "file", s->path);
	json_line_u64(l, "samples", s->data->samples);
	json_line_u64(l, "hz", s->data->hz);
	json_line_number(l, "seconds", s->blocks.seconds);
	json_line_close(l, '}');
}

static void put_value(struct json_line *l, const char *key, const struct diff_value *v)
{
	json_line_open(l, key, '{');
	json_line_number(l, "before", v->before);
	json_line_number(l, "after", v->after);
	json_line_number(l, "change", v->after - v->before);
	json_line_number(l, "plus_minus", v->half_width);
	json_line_number(l, "p", v->p);
	json_line_true(l, "beyond_noise", v->is_beyond_noise);
	json_line_close(l, '}');
}

static int put_place(struct json_line *l, const char *key, const struct function *f)
{
	_cleanup_free_ char *place = NULL;

	if (!f)
		return 0;
	place = function_place(f);
	json_line_string(l, key, place);
	return place ? 0 : -ENOMEM;
}

static int put_row(struct json_line *l, const struct diff_row *row)
{
	int err;

	json_line_open(l, NULL, '{');
	json_line_string(l, "name", diff_row_name(row));
	err = put_place(l, "where", row->after);
	if (err == 0)
		err = put_place(l, "where_before", row->before);
	put_value(l, "self", &row->self);
	put_value(l, "total", &row->total);
	json_line_close(l, '}');
	return err;
}

int diff_print_json(FILE *out, const struct diff *d, const struct diff_print *print)
{
	_cleanup_(json_line_deinit) struct json_line l = { 0 };
	u32 n = print->top && print->top < d->n ? print->top : d->n;
	int err = 0;

	json_line_start_untyped(&l);
	put_side(&l, "before", d->before);
	put_side(&l, "after", d->after);
	json_line_string(&l, "unit", diff_unit(d));
	json_line_number(&l, "level", DIFF_SELF_LEVEL + DIFF_TOTAL_LEVEL);
	json_line_u64(&l, "changed", d->n_changed);
	json_line_open(&l, "notes", '[');
	for (u32 i = 0; i < DIFF_N_NOTES; i++)
		json_line_string(&l, NULL, d->notes[i]);
	json_line_close(&l, ']');
	json_line_open(&l, "functions", '[');
	for (u32 i = 0; err == 0 && i < n; i++)
		err = put_row(&l, &d->rows[i]);
	json_line_close(&l, ']');
	return err < 0 ? err : json_line_write(&l, out);
}
