/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Builtins are followed instruction by instruction (v8_rows_state.h). Instructions that nothing
 * leads to (catch blocks, targets of tables) are tried with the frame that the builtin has
 * elsewhere; a trial that contradicts itself changes nothing. And where a builtin is left for
 * another, the return address is at sp, whatever was not understood before.
 *
 * A handler of the interpreter counts as the function that is interpreted: fp leads to
 * that function's frame, and the handler is called by the interpreter's entry alone. Where
 * it builds a frame of its own fp leads there.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_build.h"
#include "v8_rows.h"
#include "v8_rows_arm64.h"
#include "v8_rows_state.h"

#define MAX_BUILTIN_LEN (256u << 10) /* the longest of V8 14.6 has 31 KiB */
#define TRIAL_STEPS 12 /* of all trials, for each instruction; V8 8.4 to 14.6 need 5 at most */

struct work {
	struct flow_code code;
	struct v8_row_text text;
	struct v8_row_state *states; /* of each instruction, before it */
	u32 *todo, *tried;
	u32 n_todo, n_tried;
	u32 trial_steps; /* that are left; trials that contradict each other could take n * n */
	bool is_trial, is_contradicted;
};

/* ---- all of a builtin ---- */

/* A loop that copies begins with one of them and goes on with the other. */
static bool is_copying(const struct v8_row_state *a, const struct v8_row_state *b)
{
	return (a->where == AT || a->where == COPYING) &&
	       (b->where == COPYING || (b->where == BARE && !b->height));
}

static bool same(const struct v8_row_state *a, const struct v8_row_state *b)
{
	return a->where == b->where && a->height == b->height && a->fp_pushed == b->fp_pushed &&
	       a->fp_at == b->fp_at && a->scratch == b->scratch;
}

/* The same, but for a register that has the sp in one of them alone. */
static bool same_stack(const struct v8_row_state *a, const struct v8_row_state *b)
{
	struct v8_row_state like = *a;

	like.scratch = b->scratch;
	return a->where == BARE && same(&like, b);
}

static bool is_framed(const struct v8_row_state *s)
{
	return s->where == FRAMED || s->where == AT_FP;
}

/*
 * A state changes three times at most: to a known one, to one without a register, from AT_FP to
 * FRAMED or from AT to COPYING, to LOST.
 */
static void join(struct work *w, u32 i, const struct v8_row_state *s)
{
	struct v8_row_state *old = &w->states[i];

	if (same(old, s) || (old->where == FRAMED && s->where == AT_FP) ||
	    (same_stack(old, s) && !old->scratch))
		return;
	if (old->where == UNKNOWN) {
		*old = *s;
		if (w->is_trial)
			w->tried[w->n_tried++] = i;
	} else if (is_framed(old) && is_framed(s)) {
		*old = framed;
	} else if (same_stack(old, s)) {
		old->scratch = 0;
	} else if (is_copying(old, s)) {
		if (old->where == COPYING)
			return;
		old->where = COPYING;
	} else if (w->is_trial) {
		w->is_contradicted = true;
		return;
	} else {
		*old = lost;
	}
	w->todo[w->n_todo++] = i;
}

static void follow(struct work *w, u32 i)
{
	const struct flow_insn *insn = &w->code.insns[i], *to = NULL;
	struct v8_row_state s = v8_row_after(&w->text, &w->states[i], insn);

	w->is_contradicted |= s.where == LOST ||
			      (insn->op == FLOW_RET && (s.where != BARE || s.height));
	if (insn->arg >= 0 && (insn->op == FLOW_JUMP || insn->op == FLOW_BRANCH))
		to = flow_code_at(&w->code, (u32)insn->arg);
	if (to)
		join(w, (u32)(to - w->code.insns), &s);
	if (insn->op != FLOW_JUMP && insn->op != FLOW_STOP && insn->op != FLOW_RET &&
	    i + 1 < w->code.n && insn[1].off == insn->off + insn->len)
		join(w, i + 1, &s);
}

static void follow_from(struct work *w, u32 i, const struct v8_row_state *s)
{
	join(w, i, s);
	while (w->n_todo && !(w->is_trial && w->is_contradicted)) {
		follow(w, w->todo[--w->n_todo]);
		if (w->is_trial && !--w->trial_steps)
			w->is_contradicted = true;
	}
	w->n_todo = 0;
}

/* What is undone was known before as FRAMED or AT_FP, and stays that. */
static void try(struct work *w, u32 i)
{
	w->is_trial = true;
	w->is_contradicted = false;
	w->n_tried = 0;
	follow_from(w, i, &framed);
	for (u32 k = 0; w->is_contradicted && k < w->n_tried; k++)
		w->states[w->tried[k]] = (struct v8_row_state){};
	w->is_trial = false;
}

static bool is_known(const struct work *w, u32 i)
{
	return w->states[i].where != LOST && w->states[i].where != UNKNOWN;
}

/* A return, or a jump out of the builtin. */
static bool is_exit(const struct work *w, const struct flow_insn *insn)
{
	return insn->op == FLOW_RET || (insn->op == FLOW_JUMP &&
					(insn->arg < 0 || !flow_code_at(&w->code, (u32)insn->arg)));
}

/* The height before an instruction, by that after it. Only a copy of it can put it at sp. */
static bool height_before(const struct flow_insn *insn, s64 *height)
{
	switch (insn->op) {
	case FLOW_OTHER:
		return !insn->writes_memory || (insn->writes_above_sp && !*height);
	case FLOW_JUMP:
	case FLOW_BRANCH:
		return true;
	case FLOW_SP_ADD:
		*height += insn->arg / 8;
		return !(insn->arg % 8) && *height >= 0 && *height <= V8_ROW_MAX_HEIGHT;
	case FLOW_PUSH:
		if (!*height && (insn->arg <= 0 || insn->arg % 8))
			return false;
		*height = *height ? *height - 1 : insn->arg / 8;
		return *height <= V8_ROW_MAX_HEIGHT;
	}
	return false;
}

/* Before the instruction at @off, -1: it is not known. */
static s64 height_at(const struct work *w, u32 off)
{
	const struct flow_insn *insn = flow_code_at(&w->code, off);
	const struct v8_row_state *s = insn ? &w->states[insn - w->code.insns] : &lost;

	return s->where == BARE && !s->fp_pushed && !s->fp_at ? (s64)s->height : -1;
}

/* -1: it is not known, or the two ways of a branch do not agree. */
static s64 height_after(const struct work *w, const struct flow_insn *insn)
{
	s64 next = height_at(w, insn->off + insn->len);

	if (insn->op == FLOW_JUMP)
		return height_at(w, (u32)insn->arg);
	return insn->op != FLOW_BRANCH || height_at(w, (u32)insn->arg) == next ? next : -1;
}

/*
 * Backwards from the exits, as far as all ways lead there with the same height: not into loops.
 * Before the instructions that take the frame off is the one that loads the caller's fp: where
 * that stands the frame is known.
 */
static void follow_exits(struct work *w)
{
	for (u32 i = w->code.n; i--;) {
		const struct flow_insn *insn = &w->code.insns[i];
		bool is_end = is_exit(w, insn);
		s64 height = is_end || is_known(w, i) ? 0 : height_after(w, insn);

		if (!is_known(w, i) && height >= 0 && (is_end || height_before(insn, &height)))
			w->states[i] =
				(struct v8_row_state){ .where = BARE, .height = (u32)height };
	}
}

static void follow_all(struct work *w, const struct v8_row_state *start)
{
	bool has_frame = false;

	follow_from(w, 0, start);
	for (u32 i = 0; i < w->code.n; i++)
		has_frame |= is_framed(&w->states[i]);
	w->trial_steps = TRIAL_STEPS * w->code.n;
	for (u32 i = 0; has_frame && i < w->code.n && w->trial_steps; i++)
		if (w->states[i].where == UNKNOWN && w->code.insns[i].op != FLOW_STOP)
			try(w, i);
	follow_exits(w);
}

/* ---- builtins ---- */

/*
 * Not all are called. These begin on the frame of the function that they work for, which
 * was built by someone else; or nobody's return address is at sp.
 */
static const struct entry {
	const char *name;
	bool is_prefix;
	struct v8_row_state start;
} entries[] = {
	{ "InterpreterEnterAt", true, { .where = FRAMED } },
	{ "BaselineLeaveFrame", false, { .where = FRAMED } },
	/* Called by a function before it has a frame: counts as that function. */
	{ "BaselineOutOfLinePrologue", false, { .where = BARE, .height = 1 } },
	{ "BaselineOutOfLinePrologueDeopt", false, { .where = LOST } },
	{ "BaselineOrInterpreterEnter", true, { .where = LOST } },
	{ "ContinueTo", true, { .where = LOST } },
	{ "NotifyDeoptimized", false, { .where = LOST } },
	{ "RestartFrameTrampoline", false, { .where = LOST } },
};

static struct v8_row_state start_of(const char *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct entry *e = &entries[i];

		if (e->is_prefix ? !strncmp(name, e->name, strlen(e->name))
				 : !strcmp(name, e->name))
			return e->start;
	}
	return (struct v8_row_state){ .where = BARE };
}

struct sink {
	u16 machine; /* of ELF */
	u64 addr; /* of the builtin */
	rule_fn *fn;
	void *data;
};

/* From an instruction to the next: a return address is inside of the call before it. */
static void tell(const struct work *w, const struct sink *sink)
{
	struct uw_rule rule;

	for (u32 i = 0; i < w->code.n; i++) {
		const struct flow_insn *insn = &w->code.insns[i];

		if (v8_row_rule(&w->text, &w->states[i], insn, &rule))
			sink->fn(&rule, sink->addr + insn->off, sink->addr + insn->off + insn->len,
				 sink->data);
	}
}

static int follow_builtin(const u8 *bytes, u32 len, const struct v8_row_state *start,
			  const struct sink *sink)
{
	_cleanup_free_ struct v8_row_state *states = NULL;
	_cleanup_free_ u32 *todo = NULL, *tried = NULL;
	struct work w = { .text = { bytes, len } };
	int r = flow_code_x86_64(&w.code, bytes, len, sink->addr);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	w.states = states = calloc(w.code.n + 1, sizeof(*states));
	w.todo = todo = calloc(3 * (size_t)w.code.n + 1, sizeof(*todo));
	w.tried = tried = calloc(w.code.n + 1, sizeof(*tried));
	if (states && todo && tried && w.code.n && !w.code.insns[0].off) {
		follow_all(&w, start);
		tell(&w, sink);
	}
	flow_code_deinit(&w.code);
	return states && todo && tried ? 0 : -ENOMEM;
}

static int tell_builtin(const struct v8_builtin *b, u32 len, struct elf_file *f,
			const struct sink *sink)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct v8_row_state start = start_of(b->name);
	int r;

	if (b->is_handler) {
		sink->fn(&v8_rule_framed, sink->addr, sink->addr + len, sink->data);
		return 0;
	}
	if (start.where == LOST || len > MAX_BUILTIN_LEN)
		return 0;
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	r = elf_file_read_addr(f, sink->addr, bytes, len);
	if (r)
		return r;
	return sink->machine == EM_AARCH64
		       ? v8_rows_arm64(bytes, len, sink->addr, start.where == FRAMED, sink->fn,
				       sink->data)
		       : follow_builtin(bytes, len, &start, sink);
}

int v8_build_rows(const void *build, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
		  void *data)
{
	const struct v8_build *b = build;
	u16 machine = elf_file_machine(f);
	u64 blob;
	int r = 0;

	if (b->why || !b->blob_len || (machine != EM_X86_64 && machine != EM_AARCH64) ||
	    elf_file_off_to_addr(f, b->blob_off, &blob))
		return 0;
	for (size_t i = 0; !r && i < b->n_builtins; i++) {
		const struct v8_builtin *at = &b->builtins[i];
		u64 limit = i + 1 < b->n_builtins ? at[1].blob_off : b->blob_len;
		u32 len = at->blob_off + at->len < limit ? at->len : (u32)(limit - at->blob_off);
		struct sink sink = { machine, blob + at->blob_off, fn, data };

		if (at->name && len && sink.addr < end && sink.addr + len > start)
			r = tell_builtin(at, len, f, &sink);
	}
	return r;
}

int v8_rows_add(struct cfi *c, const struct v8_build *b)
{
	return cfi_add_provider(c, &(struct cfi_provider){ .describe = v8_build_rows, .data = b });
}
