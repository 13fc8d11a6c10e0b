/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes stacks of one kind of frame, and measures the time of a walk over such
 * a stack in the kernel. The kernel itself repeats and times the conformance
 * program's tc entry. The frames of a walk are checked before it is timed.
 */

#include "../../fixtures/stacks/dotnet.h"
#include "../../fixtures/stacks/v8.h"
#include "../../sim/case/stack.h"
#include "../../sim/mem/image.h"
#include "../core/kernel.h"

#define FRAME_WORDS 12
#define MAX_DEPTH 128
#define OBJECTS_ADDR 0x200008000000ull
#define REPEAT 250 /* walks per run */
#define N_RUNS 20 /* runs per round; the fastest counts, as disturbances only slow a run down */

#define N_DENSE_ROWS 256 /* rows per page: one for every 16 bytes, as in large programs */

enum objects { ONE_FUNCTION, DENSE, OWN_PAGES, DENSE_ROWS, NO_ROWS_AT_ALL, MET, NEVER_MET };

static const struct kind {
	const char *name;
	const char *objects_name;
	enum objects objects;
	u64 text;
	u64 context, offset, array; /* values of these words in the frame */
	enum uw_kind kind;
} kinds[] = {
	{ "native", "256 rows a page", DENSE_ROWS, APP_TEXT, 0, 0, 0, UW_NATIVE },
	{ "native", "one row a page", 0, APP_TEXT, 0, 0, 0, UW_NATIVE },
	{ "native", "rows not loaded", NO_ROWS_AT_ALL, APP_TEXT, 0, 0, 0, UW_NATIVE },
	{ "V8 stub", "", 0, BUILTINS_TEXT, MARKER_EXIT, 0, 0, UW_V8_STUB },
#define JS_KIND(name, text, offset, array)                                                         \
	{ name, "one function", ONE_FUNCTION, text, CONTEXT, offset, array, UW_V8_JS },            \
		{ name, "distinct functions", DENSE, text, CONTEXT, offset, array, UW_V8_JS },     \
	{                                                                                          \
		name, "one page an object", OWN_PAGES, text, CONTEXT, offset, array, UW_V8_JS      \
	}
	JS_KIND("V8 interpreted", BUILTINS_TEXT, SMI(8), ARRAY),
	JS_KIND("V8 baseline", JIT_TEXT, FEEDBACK, 0x29),
	JS_KIND("V8 optimized", JIT_TEXT, 0x2b, 0x2c),
	{ "CoreCLR JIT", "met before", MET, CLR(0), 0, 0, 0, UW_DOTNET_METHOD },
	{ "CoreCLR JIT", "never met", NEVER_MET, CLR(0), 0, 0, 0, UW_DOTNET_METHOD },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static inline u64 pc_of(const struct kind *kind, u32 i)
{
	if (kind->kind == UW_DOTNET_METHOD)
		return kind->text + 0x106 + i % 58; /* after the prologue of the first method */
	/*
	 * This pc stays within APP's code that has a single rule, and before
	 * V8's RunMicrotasks.
	 */
	return kind->text + 0x100 + (u64)i * 64 % (kind->text == BUILTINS_TEXT ? 0x400 : 0x1e00);
}

static inline u64 function_of(const struct kind *kind, u32 i)
{
	static const u32 strides[] = { 0, 64, SIM_PAGE_LEN, 0, 0, 0, 0 };

	return OBJECTS_ADDR + (u64)i * strides[kind->objects];
}

static inline u64 shared_of(u64 function)
{
	return TAGGED(HEAP(function - OBJECTS_ADDR));
}

/* Sets the words of @depth frames, and in the leaf all slots. */
static inline void fill_words(const struct kind *kind, u32 depth, u64 *words)
{
	for (u32 i = 0; i < depth; i++) {
		u64 *w = words + i * FRAME_WORDS;
		bool is_last = i == depth - 1;

		memset(w, 0, FRAME_WORDS * 8);
		w[5] = kind->offset;
		w[6] = kind->array;
		w[8] = TAGGED(function_of(kind, i));
		w[9] = kind->context;
		w[10] = is_last ? 1 : S((i + 1) * FRAME_WORDS + 10);
		w[11] = is_last ? LIBC(0x128) : pc_of(kind, i + 1);
	}
}

static inline int fill_objects(struct sim_mem *mem, const struct kind *kind, u32 depth)
{
	int err = sim_image_map(mem, OBJECTS_ADDR, MAX_DEPTH * SIM_PAGE_LEN, SIM_READ | SIM_WRITE);

	for (u32 i = 0; i < depth && !err; i++) {
		u64 function = function_of(kind, i), shared = shared_of(function);

		err = sim_image_write(mem, function + stack_v8_builds[1].shared_off, &shared, 8);
	}
	return err;
}

/* Gives all pages of APP the same rows; the rows of libc do not change. */
static inline void use_dense_rows(struct sim_target *t)
{
	static u32 rows[STACK_N_ROWS + N_DENSE_ROWS];
	static struct uw_row_page pages[STACK_N_ROW_PAGES];

	memcpy(rows, stack_rows, sizeof(stack_rows));
	memcpy(pages, stack_row_pages, sizeof(stack_row_pages));
	for (u32 i = 0; i < N_DENSE_ROWS; i++)
		rows[STACK_N_ROWS + i] = STACK_ROW(i * 16, RULE_RECORD);
	for (u32 i = 0; i < STACK_N_APP_ROW_PAGES; i++) {
		pages[i].first = STACK_N_ROWS;
		pages[i].n = N_DENSE_ROWS;
	}
	t->rows = rows;
	t->n_rows = STACK_N_ROWS + N_DENSE_ROWS;
	t->row_pages = pages;
}

static inline int make_target(const struct kind *kind, u32 depth, struct sim_target *out)
{
	static u64 words[MAX_DEPTH * FRAME_WORDS];
	struct stack stack = {
		.regs = { pc_of(kind, 0), S(0), S(10), 0 },
		.words = words,
		.n_words = depth * FRAME_WORDS,
		.no_rows = kind->objects == NO_ROWS_AT_ALL,
		/* The method's UNWIND_INFO: push %rbp; sub $80, %rsp. */
		.pokes = { CLR_NIBBLES, CLR_METHOD_1, { CLR(0x140), 0x5001920500020519 } },
	};
	int err;

	fill_words(kind, depth, words);
	err = sim_stack_target(&stack, STACK_X86_64, out);
	if (err)
		return err;
	if (kind->objects == DENSE_ROWS)
		use_dense_rows(out);
	err = fill_objects(out->mem, kind, depth);
	if (err)
		sim_mem_free(&out->mem);
	return err;
}

static inline bool found_all(const struct uw_sample *s, const struct kind *kind, u32 depth)
{
	if (s->status != (kind->objects == NO_ROWS_AT_ALL ? UW_T_GUESSED : UW_END) ||
	    s->n_frames != depth + 1)
		return false;
	for (u32 i = 0; i < depth; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (f->pc != pc_of(kind, i) || f->kind != kind->kind || f->status)
			return false;
		if (f->kind == UW_V8_JS && (f->a != shared_of(function_of(kind, i)) ||
					    f->b != kind->offset || f->aux != (u32)kind->array))
			return false;
		if (f->kind == UW_DOTNET_METHOD && (f->a != CLR(0x100) || f->b != CLR_DESC))
			return false;
	}
	return s->frames[depth].pc == LIBC(0x128);
}

/* Runs a tc program with the arguments @args; lowers *@ns to its time if that is less. */
static inline int time_run(const struct bpf_program *prog, const void *args, size_t args_len,
			   u32 *ns)
{
	u8 packet[128] = { 0 };

	memcpy(packet + 16, args, args_len);
	for (u32 i = 0; i < N_RUNS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
			    .data_size_in = sizeof(packet), .repeat = REPEAT);
		int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

		if (err)
			return err;
		if (opts.duration < *ns)
			*ns = opts.duration;
	}
	return 0;
}

/* Measures the time and the number of reads of a walk over @depth frames. */
static inline int measure(struct kernel *kernel, const struct kind *kind, u32 depth, u32 *ns,
			  u32 *n_reads)
{
	const struct uw_sample *s = &kernel->state->sample;
	struct kernel_start start;
	struct sim_target target;
	int err = make_target(kind, depth, &target);

	if (err)
		return err;
	kernel_set_tables(kernel, &target);
	kernel->state->process_key = kind->objects == MET;
	start = kernel_start_of(&target);
	err = kernel_map(target.mem);
	if (!err)
		err = kernel_walk(kernel, &target);
	if (!err && !found_all(s, kind, depth))
		err = -EBADMSG;
	*n_reads = s->n_reads;
	if (!err)
		err = time_run(kernel->skel->progs.uw_run_tc, &start, sizeof(start), ns);
	kernel_unmap(target.mem);
	sim_mem_free(&target.mem);
	return err;
}
