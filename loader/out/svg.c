/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes a flame graph: a static picture without scripts, for a document or a mail. Roots are at
 * the bottom; the width of a box is the share of samples in which the function was on the stack
 * below its callers; siblings are in the order of their names. Colours are kinds of code. The
 * title of a box, which browsers show under the pointer, has the name, the file and the number of
 * samples. Boxes narrower than MIN_WIDTH are left out.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/utf8.h"
#include "call_tree.h"
#include "model.h"
#include "out.h"

#define WIDTH 1200.0
#define MARGIN 10.0
#define ROW 17 /* height of a row of boxes */
#define HEAD 40 /* height of the heading */
#define MIN_WIDTH 0.1
#define CHAR_WIDTH 7.0 /* of the widest letters but few, at a font size of 12 */

struct box {
	double x; /* in samples */
	u64 total, placed; /* samples; those of callees that have a place */
	u32 depth;
};

struct svg {
	struct model model;
	struct call_tree tree;
	struct box *boxes; /* by call, and one for all samples */
	u32 *order; /* calls, sorted by caller and name */
	u32 n, depth; /* calls; depth of the deepest one */
	double scale; /* pixels per sample */
	FILE *out;
};

static const char *const colours[PROF_N_KINDS + 1] = {
	[PROF_JS] = "#f6c667",	    [PROF_WASM] = "#c9a3e8",   [PROF_BUILTIN] = "#e8d9a0",
	[PROF_REGEXP] = "#e8d9a0",  [PROF_STUB] = "#d8d8d8",   [PROF_DOTNET] = "#9fb7f0",
	[PROF_JIT] = "#f0b0a0",	    [PROF_NATIVE] = "#a8d8a0", [PROF_KERNEL] = "#f09090",
	[PROF_N_KINDS] = "#d8d8d8",
};

static void svg_deinit(struct svg *s)
{
	model_deinit(&s->model);
	call_tree_deinit(&s->tree);
	free(s->boxes);
	free(s->order);
}

/* ---- layout ---- */

static int add_stacks(struct svg *s, u32 *leaf_of_stack)
{
	u32 path[MODEL_MAX_PATH];

	for (u32 i = 0; i < s->model.data->n_stacks; i++) {
		int err = 0;

		if (s->model.data->stacks[i].samples)
			err = call_tree_add(&s->tree, path, model_path(&s->model, i, path),
					    &leaf_of_stack[i]);
		if (err < 0)
			return model_table_error(&s->model, err);
	}
	return 0;
}

/* A caller has a smaller number than its callees, so its total is complete when it is added. */
static void add_totals(struct svg *s, const u32 *leaf_of_stack)
{
	for (u32 i = 0; i < s->model.data->n_stacks; i++)
		if (s->model.data->stacks[i].samples)
			s->boxes[leaf_of_stack[i]].total += s->model.data->stacks[i].samples;
	for (u32 i = s->n; i-- > 0;) {
		u32 caller = s->tree.calls[i].caller;

		s->boxes[caller == CALL_ROOT ? s->n : caller].total += s->boxes[i].total;
	}
}

static int by_caller_and_name(const void *a, const void *b, void *data)
{
	const struct svg *s = data;
	struct call x = s->tree.calls[*(const u32 *)a];
	struct call y = s->tree.calls[*(const u32 *)b];
	int order;

	if (x.caller != y.caller)
		return x.caller + 1 < y.caller + 1 ? -1 : 1;
	order = strcmp(s->model.nodes[x.label].name, s->model.nodes[y.label].name);
	return order ? order : (x.label > y.label) - (x.label < y.label);
}

/* In this order, a caller has its place before its callees. */
static void place_boxes(struct svg *s)
{
	qsort_r(s->order, s->n, sizeof(*s->order), by_caller_and_name, s);
	for (u32 i = 0; i < s->n; i++) {
		u32 caller = s->tree.calls[s->order[i]].caller;
		struct box *box = &s->boxes[s->order[i]];
		struct box *below = &s->boxes[caller == CALL_ROOT ? s->n : caller];

		box->x = below->x + (double)below->placed;
		box->depth = below->depth + 1;
		below->placed += box->total;
		if ((double)box->total * s->scale >= MIN_WIDTH && box->depth > s->depth)
			s->depth = box->depth;
	}
}

static int lay_out(struct svg *s)
{
	_cleanup_free_ u32 *leaf_of_stack = calloc(s->model.data->n_stacks + 1ul, sizeof(u32));
	int err = leaf_of_stack ? add_stacks(s, leaf_of_stack) : -ENOMEM;

	if (err < 0)
		return err;
	s->n = s->tree.n;
	s->boxes = calloc(s->n + 1ul, sizeof(*s->boxes));
	s->order = calloc(s->n + 1ul, sizeof(*s->order));
	if (!s->boxes || !s->order)
		return -ENOMEM;
	for (u32 i = 0; i < s->n; i++)
		s->order[i] = i;
	add_totals(s, leaf_of_stack);
	s->scale = (WIDTH - 2 * MARGIN) / (double)s->boxes[s->n].total;
	place_boxes(s);
	return 0;
}

/* ---- text ---- */

/* Writes at most @max characters of a text, and two dots in place of the rest. */
static void put_text(FILE *out, const char *text, size_t max)
{
	size_t len = strlen(text), at = 0, n = 0;
	bool fits;
	u32 cp;

	while (at < len && n <= max)
		at += utf8_decode(text + at, len - at, &cp), n++;
	fits = n <= max;
	at = 0;
	for (size_t i = 0; at < len && (fits || i + 2 < max); i++) {
		char bytes[UTF8_MAX_LEN];

		at += utf8_decode(text + at, len - at, &cp);
		if (cp == '<')
			fputs("&lt;", out);
		else if (cp == '>')
			fputs("&gt;", out);
		else if (cp == '&')
			fputs("&amp;", out);
		else if (cp == 0xfffe || cp == 0xffff) /* not allowed in XML */
			putc('?', out);
		else
			fwrite(bytes, 1, utf8_put(cp, bytes), out);
	}
	if (!fits)
		fputs("..", out);
}

static void put_title(struct svg *s, const struct model_node *node, u64 count)
{
	fputs("<title>", s->out);
	put_text(s->out, node ? node->name : "all", INT32_MAX);
	if (node && node->function) {
		fputs(" (", s->out);
		put_text(s->out, node->where, INT32_MAX);
		if (node->function->line)
			fprintf(s->out, ":%u", node->function->line);
		putc(')', s->out);
	}
	fprintf(s->out, ", %llu samples, %.2f %%</title>", count,
		100.0 * (double)count / (double)s->boxes[s->n].total);
}

/* @node: NULL for the box of all samples */
static void put_box(struct svg *s, const struct box *box, const struct model_node *node)
{
	double width = (double)box->total * s->scale, x = MARGIN + box->x * s->scale;
	u32 y = HEAD + (s->depth - box->depth) * ROW;
	enum prof_kind kind = node && node->frame ? node->frame->kind : PROF_N_KINDS;

	if (width < MIN_WIDTH)
		return;
	fputs("<g>", s->out);
	put_title(s, node, box->total);
	fprintf(s->out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", x,
		y, width, ROW - 1, colours[kind]);
	if (width >= 5 * CHAR_WIDTH) {
		fprintf(s->out, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
		put_text(s->out, node ? node->name : "all", (size_t)((width - 6) / CHAR_WIDTH));
		fputs("</text>", s->out);
	}
	fputs("</g>\n", s->out);
}

static void put_heading(struct svg *s)
{
	const struct model_thread *t = &s->model.threads[s->model.busiest];
	u32 height = HEAD + (s->depth + 1) * ROW + (u32)MARGIN;

	fprintf(s->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
		"viewBox=\"0 0 %.0f %u\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%.0f\" y=\"24\" font-size=\"16\">",
		WIDTH, height, WIDTH, height, MARGIN);
	put_text(s->out, t->process, 80);
	if (s->model.data->n_pids > 1)
		fprintf(s->out, " and %u more processes", s->model.data->n_pids - 1);
	fprintf(s->out, ": %llu samples", s->boxes[s->n].total);
	if (s->model.data->hz)
		fprintf(s->out, " at %u Hz", s->model.data->hz);
	fputs("</text>\n", s->out);
}

static int write_svg(struct prof_reader *in, FILE *out)
{
	_cleanup_(svg_deinit) struct svg s = { .out = out };
	int err = model_read(in, &s.model);

	if (err < 0)
		return err;
	call_tree_init(&s.tree);
	err = lay_out(&s);
	if (err < 0)
		return err;
	put_heading(&s);
	put_box(&s, &s.boxes[s.n], NULL);
	for (u32 i = 0; i < s.n; i++) {
		u32 call = s.order[i];

		put_box(&s, &s.boxes[call], &s.model.nodes[s.tree.calls[call].label]);
	}
	errno = 0;
	if (fputs("</svg>\n", out) == EOF || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

const struct out_format out_svg = {
	.name = "svg",
	.suffix = "svg",
	.holds = PROF_FEATURE(REASONS),
	.write = write_svg,
};
