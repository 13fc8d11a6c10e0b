/* SPDX-License-Identifier: BSD-2-Clause */

/* A table is an object of columns, which are lists of equal length, and "length". */

#include "firefox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_LIMIT (256u << 20)
#define NONE (~0ull) /* a cell without a value */
#define LIBRARY 1 /* type of a resource */

void firefox_tables_init(struct firefox_tables *t)
{
	*t = (struct firefox_tables){ 0 };
	intern_init(&t->strings, TABLE_LIMIT);
	call_tree_init(&t->stacks);
}

void firefox_tables_deinit(struct firefox_tables *t)
{
	numbers_deinit(&t->frames);
	numbers_deinit(&t->functions);
	intern_deinit(&t->strings);
	call_tree_deinit(&t->stacks);
	free(t->stack_of_stack);
}

int firefox_string(struct firefox_tables *t, const char *s, u32 *idx)
{
	int r = intern_add(&t->strings, s, strlen(s) + 1, idx);

	return r < 0 ? r : 0;
}

/* ---- collecting ---- */

static int add_function(const struct firefox *f, struct firefox_tables *t, u32 node)
{
	const struct model_node *n = &f->model.nodes[node];
	int r = numbers_add(&t->functions, node);
	u32 idx;

	if (r < 1)
		return r;
	r = firefox_string(t, n->name, &idx);
	if (r == 0 && n->function)
		r = firefox_string(t, n->where, &idx);
	return r;
}

static u32 node_of(const struct firefox *f, u32 frame)
{
	u32 n = f->model.data->n_frames;

	return frame < n ? f->model.node_of_frame[frame] : frame - n;
}

static int add_frame(const struct firefox *f, struct firefox_tables *t, u32 frame, u32 *idx)
{
	int r = numbers_add(&t->frames, frame);

	*idx = t->frames.number[frame];
	return r < 1 ? r : add_function(f, t, node_of(f, frame));
}

static int add_stack(const struct firefox *f, struct firefox_tables *t, u32 stack)
{
	const struct data_stack *s = &f->model.data->stacks[stack];
	u32 path[MODEL_MAX_PATH], n = 0, end = f->model.end_of_stack[stack];
	int err = 0;

	if (end != DATA_NONE)
		err = add_frame(f, t, f->model.data->n_frames + end, &path[n++]);
	for (u32 k = s->n_frames; err == 0 && k > 0; k--)
		err = add_frame(f, t, s->frames[k - 1], &path[n++]);
	return err < 0 ? err : call_tree_add(&t->stacks, path, n, &t->stack_of_stack[stack]);
}

int firefox_tables_fill(const struct firefox *f, const struct model_thread *thread,
			struct firefox_tables *t)
{
	size_t n = f->model.data->n_stacks + 1ul;
	int err = numbers_init(&t->frames, (size_t)f->model.data->n_frames + f->model.n_nodes);

	if (err == 0)
		err = numbers_init(&t->functions, f->model.n_nodes);
	t->stack_of_stack = malloc(n * sizeof(u32));
	if (err < 0 || !t->stack_of_stack)
		return -ENOMEM;
	memset(t->stack_of_stack, 0xff, n * sizeof(u32));
	for (u32 i = thread->first; err == 0 && i < thread->first + thread->n; i++) {
		u32 stack = model_stack(&f->model, &f->model.data->list[i]);

		if (t->stack_of_stack[stack] == DATA_NONE)
			err = add_stack(f, t, stack);
	}
	for (u32 i = 0; err == 0 && i < f->lib_keys.n; i++) {
		u32 idx;

		err = firefox_string(t, firefox_lib(f, i).path, &idx);
	}
	return err;
}

/* ---- columns ---- */

/* A row of the table that is written. */
struct row {
	const struct firefox *f;
	const struct firefox_tables *t;
	u32 i;
};

static u64 string_number(const struct row *r, const char *s)
{
	u32 idx = 0;

	intern_find(&r->t->strings, s, strlen(s) + 1, &idx);
	return idx;
}

/* The frame of a row, or NULL for the end of a stack. */
static const struct prof_frame *frame_of(const struct row *r)
{
	u32 frame = r->t->frames.ids[r->i];

	return frame < r->f->model.data->n_frames ? &r->f->model.data->frames[frame] : NULL;
}

static u64 frame_address(const struct row *r)
{
	const struct prof_frame *frame = frame_of(r);

	return frame && frame->has_off && frame->module ? frame->off : NONE;
}

static u64 frame_depth(const struct row *r)
{
	const struct prof_frame *frame = frame_of(r);

	return frame && frame->inlined;
}

static u64 frame_category(const struct row *r)
{
	static const enum firefox_category of_kind[PROF_N_KINDS + 1] = {
		[PROF_JS] = FIREFOX_JS,		[PROF_WASM] = FIREFOX_WASM,
		[PROF_BUILTIN] = FIREFOX_V8,	[PROF_REGEXP] = FIREFOX_V8,
		[PROF_STUB] = FIREFOX_V8,	[PROF_DOTNET] = FIREFOX_DOTNET,
		[PROF_JIT] = FIREFOX_JIT,	[PROF_NATIVE] = FIREFOX_NATIVE,
		[PROF_KERNEL] = FIREFOX_KERNEL, [PROF_N_KINDS] = FIREFOX_OTHER,
	};
	const struct prof_frame *frame = frame_of(r);

	return frame ? of_kind[frame->kind] : FIREFOX_OTHER;
}

static u64 zero(const struct row *r)
{
	(void)r;
	return 0;
}

static u64 none(const struct row *r)
{
	(void)r;
	return NONE;
}

static u64 frame_function(const struct row *r)
{
	return r->t->functions.number[node_of(r->f, r->t->frames.ids[r->i])];
}

static u64 or_none(u32 n)
{
	return n ? n : NONE;
}

static u64 frame_line(const struct row *r)
{
	const struct prof_frame *frame = frame_of(r);

	return frame ? or_none(frame->line) : NONE;
}

static u64 frame_column(const struct row *r)
{
	const struct prof_frame *frame = frame_of(r);

	return frame ? or_none(frame->column) : NONE;
}

static const struct model_node *node_of_row(const struct row *r)
{
	return &r->f->model.nodes[r->t->functions.ids[r->i]];
}

static u64 function_name(const struct row *r)
{
	return string_number(r, node_of_row(r)->name);
}

static u64 function_file(const struct row *r)
{
	const struct model_node *n = node_of_row(r);

	return n->function && n->function->has_file ? string_number(r, n->where) : NONE;
}

static u64 function_line(const struct row *r)
{
	const struct function *f = node_of_row(r)->function;

	return f && f->has_file ? or_none(f->line) : NONE;
}

static u64 function_column(const struct row *r)
{
	const struct function *f = node_of_row(r)->function;

	return f && f->has_file ? or_none(f->column) : NONE;
}

static u64 function_lib(const struct row *r)
{
	const struct function *f = node_of_row(r)->function;

	return f && r->f->lib_of_frame[f->frame] != DATA_NONE ? r->f->lib_of_frame[f->frame] : NONE;
}

static u64 stack_frame(const struct row *r)
{
	return r->t->stacks.calls[r->i].label;
}

static u64 stack_prefix(const struct row *r)
{
	u32 caller = r->t->stacks.calls[r->i].caller;

	return caller == CALL_ROOT ? NONE : caller;
}

static u64 lib_index(const struct row *r)
{
	return r->i;
}

static u64 lib_name(const struct row *r)
{
	return string_number(r, firefox_lib(r->f, r->i).path);
}

static u64 lib_type(const struct row *r)
{
	(void)r;
	return LIBRARY;
}

/* A flag of functions: 1 or 0, which is written as true or false. */
static u64 is_js(const struct row *r)
{
	const struct prof_frame *frame = node_of_row(r)->frame;

	return frame && (frame->kind == PROF_JS || frame->kind == PROF_WASM);
}

/* ---- tables ---- */

/* A column; its list ends with one that has no name. @none: the word for NONE. */
struct column {
	const char *name, *none;
	u64 (*value)(const struct row *r);
	bool is_flag;
};

static const struct column frame_columns[] = {
	{ "address", "-1", frame_address },	{ "inlineDepth", "0", frame_depth },
	{ "category", "null", frame_category }, { "subcategory", "null", zero },
	{ "func", "null", frame_function },	{ "nativeSymbol", "null", none },
	{ "innerWindowID", "null", zero },	{ "line", "null", frame_line },
	{ "column", "null", frame_column },	{ 0 },
};

static const struct column function_columns[] = {
	{ "isJS", "null", is_js, true },
	{ "relevantForJS", "null", zero, true },
	{ "name", "null", function_name },
	{ "resource", "-1", function_lib },
	{ "fileName", "null", function_file },
	{ "lineNumber", "null", function_line },
	{ "columnNumber", "null", function_column },
	{ 0 },
};

static const struct column stack_columns[] = {
	{ "frame", "null", stack_frame },
	{ "prefix", "null", stack_prefix },
	{ 0 },
};

static const struct column resource_columns[] = {
	{ "lib", "null", lib_index },
	{ "name", "null", lib_name },
	{ "host", "null", none },
	{ "type", "null", lib_type },
	{ 0 },
};

static const struct column symbol_columns[] = {
	{ "libIndex", "null", none },
	{ "address", "null", none },
	{ "name", "null", none },
	{ "functionSize", "null", none },
	{ 0 },
};

static int put_table(struct firefox *f, const struct firefox_tables *t, const char *name,
		     const struct column *c, u32 n)
{
	struct row r = { f, t, 0 };
	int err = 0;

	json_line_open(&f->line, name, '{');
	for (; c->name; c++) {
		json_line_open(&f->line, c->name, '[');
		for (r.i = 0; err == 0 && r.i < n; r.i++) {
			u64 value = c->value(&r);

			if (c->is_flag)
				json_line_word(&f->line, NULL, value ? "true" : "false");
			else if (value == NONE)
				json_line_word(&f->line, NULL, c->none);
			else
				json_line_u64(&f->line, NULL, value);
			err = firefox_drain(f);
		}
		json_line_close(&f->line, ']');
	}
	json_line_u64(&f->line, "length", n);
	json_line_close(&f->line, '}');
	return err;
}

static int put_strings(struct firefox *f, const struct firefox_tables *t)
{
	int err = 0;

	json_line_open(&f->line, "stringArray", '[');
	for (u32 i = 0; err == 0 && i < t->strings.n; i++) {
		size_t len;

		json_line_string(&f->line, NULL, intern_key(&t->strings, i, &len));
		err = firefox_drain(f);
	}
	json_line_close(&f->line, ']');
	return err;
}

int firefox_tables_put(struct firefox *f, struct firefox_tables *t)
{
	int err = put_table(f, t, "frameTable", frame_columns, t->frames.n);

	if (err == 0)
		err = put_table(f, t, "funcTable", function_columns, t->functions.n);
	if (err == 0)
		err = put_table(f, t, "stackTable", stack_columns, t->stacks.n);
	if (err == 0)
		err = put_table(f, t, "resourceTable", resource_columns, f->lib_keys.n);
	if (err == 0)
		err = put_table(f, t, "nativeSymbols", symbol_columns, 0);
	return err < 0 ? err : put_strings(f, t);
}
