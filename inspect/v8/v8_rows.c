/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Each builtin is analyzed instruction by instruction. If no other instruction leads to an
 * instruction (catch blocks, targets of jump tables), the analysis is repeated from there with the
 * frame that the builtin has elsewhere. If such a trial leads to contradictions, only the states
 * FRAMED and AT_FP of the trial are used.
 *
 * A bytecode handler is unwound as the interpreted function: fp leads to that function's frame, and
 * only the interpreter's entry calls handlers. If a handler builds its own frame, fp leads to the
 * handler's frame.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "arch/v8_arches.h"
#include "v8_build.h"
#include "v8_rows.h"

#define MAX_BUILTIN_LEN (256u << 10) /* limit of a builtin; the longest of V8 14.6 has 31 KiB */

/*
 * Maximum number of steps per instruction: in V8 8.4 to 14.6, paths from the start need at most 8
 * steps, and all trials at most 5. Without a limit, trials of n instructions that contradict each
 * other could take n * n steps.
 */
#define MAX_STEPS 12

struct sink {
	const struct v8_arch *arch;
	u64 addr; /* the builtin's address */
	rule_fn *fn;
	void *data;
};

static u32 successors(const void *text, u32 i, u32 next[2])
{
	return flow_code_successors(&((const struct v8_row_text *)text)->code, i, next);
}

/* Is there an instruction at which V8's frame exists? */
static bool has_frame(const struct v8_arch *arch, const struct data_flow *d)
{
	struct uw_rule rule;

	for (u32 i = 0; i < d->n; i++)
		if (arch->rule(d->user, i, data_flow_state(d, i), &rule) && rule.cfa == UW_CFA_FP)
			return true;
	return false;
}

static void follow_all(const struct v8_arch *arch, const struct v8_row_text *text,
		       enum v8_row_start start, struct data_flow *d)
{
	d->steps = MAX_STEPS * (u64)d->n;
	data_flow_put(d, 0, arch->start[start]);
	data_flow_follow(d);
	d->steps = has_frame(arch, d) ? MAX_STEPS * (u64)d->n : 0;
	for (u32 i = 0; i < d->n && d->steps; i++)
		if (!data_flow_is_reached(d, i) && text->code.insns[i].op != FLOW_STOP)
			data_flow_try(d, i, arch->start[V8_ROW_FRAMED]);
	if (arch->follow_exits)
		arch->follow_exits(text, d->states);
}

/* Reports a rule for each instruction. */
static void report(const struct v8_row_text *text, const struct data_flow *d,
		   const struct sink *sink)
{
	struct uw_rule rule;

	for (u32 i = 0; i < d->n; i++) {
		u64 at = sink->addr + text->code.insns[i].off;

		if (sink->arch->rule(text, i, data_flow_state(d, i), &rule))
			sink->fn(&rule, at, at + text->code.insns[i].len, sink->data);
	}
}

static int follow_builtin(const u8 *bytes, u32 len, enum v8_row_start start,
			  const struct sink *sink)
{
	const struct v8_arch *arch = sink->arch;
	const struct data_flow_ops ops = { arch->state_size, arch->transfer, successors,
					   arch->join };
	struct v8_row_text text = { .bytes = bytes, .len = len };
	struct data_flow d;
	int err = arch->decode(&text.code, bytes, len, sink->addr);

	if (err < 0)
		return err == -ENOMEM ? err : 0;
	err = data_flow_init(&d, &ops, &text, text.code.n);
	if (!err && d.n && !text.code.insns[0].off) {
		follow_all(arch, &text, start, &d);
		report(&text, &d, sink);
	}
	data_flow_deinit(&d);
	flow_code_deinit(&text.code);
	return err;
}

/* ---- builtins ---- */

/*
 * Builtins that are not entered by a call. Such a builtin begins on the frame of the function that
 * it works for, or without a return address at sp.
 */
static const struct entry {
	const char *name;
	bool is_prefix;
	enum v8_row_start start;
} entries[] = {
	{ "InterpreterEnterAt", true, V8_ROW_FRAMED },
	{ "BaselineLeaveFrame", false, V8_ROW_FRAMED },
	{ "BaselineOutOfLinePrologue", false, V8_ROW_PUSHED },
	{ "BaselineOutOfLinePrologueDeopt", false, V8_N_ROW_STARTS },
	{ "BaselineOrInterpreterEnter", true, V8_ROW_FRAMED },
	{ "ContinueTo", true, V8_N_ROW_STARTS },
	{ "NotifyDeoptimized", false, V8_N_ROW_STARTS },
	{ "RestartFrameTrampoline", false, V8_N_ROW_STARTS },
};

static enum v8_row_start start_of(const char *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct entry *e = &entries[i];

		if (e->is_prefix ? !strncmp(name, e->name, strlen(e->name))
				 : !strcmp(name, e->name))
			return e->start;
	}
	return V8_ROW_CALLED;
}

static int describe_code(const struct v8_builtin_code *code, const struct sink *sink)
{
	enum v8_row_start start = code->name ? start_of(code->name) : V8_ROW_CALLED;

	if (code->is_handler)
		sink->fn(&v8_rule_framed, sink->addr, sink->addr + code->len, sink->data);
	if (code->is_handler || start == V8_N_ROW_STARTS)
		return 0;
	return follow_builtin(code->bytes, code->len, start, sink);
}

int v8_builtin_rules(u16 machine, const struct v8_builtin_code *code, rule_fn *fn, void *data)
{
	struct sink sink = { v8_arch_of(machine), code->addr, fn, data };

	return sink.arch->decode ? describe_code(code, &sink) : 0;
}

static int describe(const struct v8_builtin *b, u32 len, struct elf_file *f,
		    const struct sink *sink)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_builtin_code code = { b->name, b->is_handler, NULL, len, sink->addr };
	int err = 0;

	if (len > MAX_BUILTIN_LEN)
		return 0;
	if (!b->is_handler) {
		code.bytes = bytes = malloc(len);
		err = bytes ? elf_file_read_addr(f, sink->addr, bytes, len) : -ENOMEM;
	}
	return err ? err : describe_code(&code, sink);
}

int v8_build_rows(const void *build, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
		  void *data)
{
	const struct v8_build *b = build;
	u64 blob;
	int err = 0;

	if (b->why || !b->blob_len || !b->arch->decode ||
	    elf_file_off_to_addr(f, b->blob_off, &blob))
		return 0;
	for (size_t i = 0; !err && i < b->n_builtins; i++) {
		const struct v8_builtin *at = &b->builtins[i];
		u64 limit = i + 1 < b->n_builtins ? at[1].blob_off : b->blob_len;
		u32 len = at->blob_off + at->len < limit ? at->len : (u32)(limit - at->blob_off);
		struct sink sink = { b->arch, blob + at->blob_off, fn, data };

		if (at->name && len && sink.addr < end && sink.addr + len > start)
			err = describe(at, len, f, &sink);
	}
	return err;
}

int v8_rows_add(struct cfi *c, const struct v8_build *b)
{
	return cfi_add_provider(c, &(struct cfi_provider){ .describe = v8_build_rows, .data = b });
}
