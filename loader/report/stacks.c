/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <errno.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/data.h"
#include "../profile/json_line.h"

static int print_stack(FILE *out, const struct prof_data *d, u32 i, struct json_line *l)
{
	struct data_cell cell = data_cell(d, i);
	const struct prof_process *process = &d->processes[cell.process].process;
	const struct data_stack *s = &d->stacks[cell.stack];

	json_line_start_untyped(l);
	json_line_string(l, "process", process->name);
	json_line_u64(l, "pid", process->pid);
	json_line_u64(l, "tid", cell.tid);
	if (cell.thread != DATA_NONE)
		json_line_string(l, "thread", d->threads[cell.thread]);
	json_line_u64(l, "count", d->counts[i]);
	json_line_string(l, "status", prof_status_name(s->status));
	json_line_string(l, "reason", s->reason);
	json_line_open(l, "frames", '[');
	for (u32 k = 0; k < s->n_frames; k++) {
		json_line_open(l, NULL, '{');
		json_line_frame(l, &d->frames[s->frames[k]]);
		json_line_close(l, '}');
	}
	json_line_close(l, ']');
	return json_line_write(l, out);
}

int report_print_stacks(FILE *out, struct prof_reader *in, const struct data_span *span)
{
	_cleanup_(json_line_deinit) struct json_line line = { 0 };
	_cleanup_(data_free) struct prof_data *d = NULL;
	int err = data_read_span(in, span, &d);

	for (u32 i = 0; err == 0 && i < d->n_cells; i++)
		err = print_stack(out, d, i, &line);
	if (err < 0)
		return err;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return d->samples ? 0 : -ENODATA;
}
