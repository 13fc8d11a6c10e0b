/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes folded stacks, the input format of flamegraph.pl: one stack per line, root first,
 * then a space and the number of samples.
 *
 *	[process;][[truncated: reason];]label;label;label 12
 *
 * A label is "name (file:line)", with the start line of the function, or the name alone if
 * the file is unknown. Async frames, which were not on the stack, begin with "async ". Stacks
 * with equal text become one line, whatever their ids are. The process name is present only
 * if the profile has samples of several processes.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../profile/data.h"
#include "../query/functions.h"
#include "../../inspect/util/text_stream.h"
#include "../../inspect/util/utf8.h"
#include "out.h"

#define LABELS_LIMIT (512u << 20)
#define STACKS_LIMIT (512u << 20)

struct folded {
	struct prof_data *data;
	struct functions functions;
	struct intern labels; /* texts of the labels */
	struct intern stacks; /* stacks; a key is the numbers of the labels, root first */
	u32 *label_of_frame;
	u64 *counts; /* by stack */
	u32 counts_room;
};

/* ';' would end the label, and a control character could end the line or affect a terminal. */
static void put_text(FILE *out, const char *s)
{
	size_t len = strlen(s), n;
	char bytes[UTF8_MAX_LEN];
	u32 cp;

	for (size_t at = 0; at < len;) {
		at += utf8_decode(s + at, len - at, &cp);
		cp = cp == ';' ? ':' : utf8_is_control(cp) ? '?' : cp;
		n = utf8_put(cp, bytes);
		fwrite(bytes, 1, n, out);
	}
}

/* Closes the stream and adds its text as one label. */
static int label_end(struct folded *f, struct text_stream *s, FILE *out, u32 *label)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = text_stream_close(s, out, &text, &len);

	if (r == 0)
		r = intern_add(&f->labels, text, len, label);
	return r < 0 ? r : 0;
}

static int frame_label(struct folded *f, u32 frame, u32 *label)
{
	const struct function *function = &f->functions.v[f->functions.of_frame[frame]];
	_cleanup_free_ char *place = function_place(function);
	struct text_stream s;
	FILE *out = place ? text_stream_open(&s) : NULL;

	if (!out)
		return -ENOMEM;
	if (f->data->frames[frame].async)
		fputs("async ", out);
	put_text(out, function->name);
	if (function->has_file) {
		fputs(" (", out);
		put_text(out, place);
		putc(')', out);
	}
	return label_end(f, &s, out, label);
}

static int status_label(struct folded *f, const struct data_stack *stack, u32 *label)
{
	struct text_stream s;
	FILE *out = text_stream_open(&s);

	if (!out)
		return -ENOMEM;
	fprintf(out, "[%s: ", prof_status_name(stack->status));
	put_text(out, stack->reason);
	putc(']', out);
	return label_end(f, &s, out, label);
}

static int process_label(struct folded *f, const struct prof_process *p, u32 *label)
{
	struct text_stream s;
	FILE *out = text_stream_open(&s);

	if (!out)
		return -ENOMEM;
	if (p->name && p->name[0])
		put_text(out, p->name);
	else
		fprintf(out, "pid %u", p->pid);
	return label_end(f, &s, out, label);
}

static int label_frames(struct folded *f)
{
	u32 n = f->data->n_frames;

	f->label_of_frame = calloc(n + 1ul, sizeof(u32));
	if (!f->label_of_frame)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		int err = frame_label(f, i, &f->label_of_frame[i]);

		if (err < 0)
			return err;
	}
	return 0;
}

static int count_stack(struct folded *f, const u32 *labels, u32 n, u64 count)
{
	u32 idx;
	int r = intern_add(&f->stacks, labels, n * sizeof(*labels), &idx);

	if (r < 0)
		return r;
	if (array_reserve(f->counts, f->counts_room, idx + 1))
		return -ENOMEM;
	f->counts[idx] = r == 1 ? count : f->counts[idx] + count;
	return 0;
}

static int count_cell(struct folded *f, u32 i)
{
	struct data_cell cell = data_cell(f->data, i);
	const struct data_stack *s = &f->data->stacks[cell.stack];
	u32 labels[PROF_MAX_FRAMES + 2], n = 0;
	int err = 0;

	if (f->data->counts[i] == 0)
		return 0;
	if (f->data->n_pids > 1)
		err = process_label(f, &f->data->processes[cell.process].process, &labels[n++]);
	if (err == 0 && s->status != PROF_COMPLETE)
		err = status_label(f, s, &labels[n++]);
	for (u32 k = s->n_frames; k > 0; k--)
		labels[n++] = f->label_of_frame[s->frames[k - 1]];
	return err < 0 ? err : count_stack(f, labels, n, f->data->counts[i]);
}

static void put_label(const struct folded *f, u32 label, FILE *out)
{
	size_t len;
	const char *text = intern_key(&f->labels, label, &len);

	fwrite(text, 1, len, out);
}

static int put_stacks(const struct folded *f, FILE *out)
{
	for (u32 i = 0; i < f->stacks.n; i++) {
		size_t len;
		const u32 *labels = intern_key(&f->stacks, i, &len);

		/* even a complete stack may have no frames */
		if (len == 0)
			fputs("[no frame]", out);
		for (u32 k = 0; k < len / sizeof(*labels); k++) {
			if (k)
				putc(';', out);
			put_label(f, labels[k], out);
		}
		if (fprintf(out, " %llu\n", f->counts[i]) < 0)
			return errno ? -errno : -EIO;
	}
	return 0;
}

static void folded_deinit(struct folded *f)
{
	data_free(&f->data);
	functions_deinit(&f->functions);
	intern_deinit(&f->labels);
	intern_deinit(&f->stacks);
	free(f->label_of_frame);
	free(f->counts);
}

static int write_folded(struct prof_reader *in, FILE *out)
{
	_cleanup_(folded_deinit) struct folded f = { 0 };
	int err = data_read(in, &f.data);

	if (err < 0)
		return err;
	intern_init(&f.labels, LABELS_LIMIT);
	intern_init(&f.stacks, STACKS_LIMIT);
	err = functions_init(f.data, true, &f.functions);
	if (err == 0)
		err = label_frames(&f);
	for (u32 i = 0; err == 0 && i < f.data->n_cells; i++)
		err = count_cell(&f, i);
	if (err == -ENOSPC)
		return prof_reader_fail(in, "the profile is too large to convert to folded stacks");
	return err < 0 ? err : put_stacks(&f, out);
}

const struct out_format out_folded = {
	.name = "folded",
	.suffix = "folded",
	.holds = PROF_FEATURE(REASONS),
	.write = write_folded,
};
