/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A builtin is called, or jumped to by another in its last instruction: at its first
 * instruction the return address is at sp, and fp is the caller's. From there on every
 * instruction's state follows from the one before it:
 *
 *	BARE	the return address is height words above sp; the caller's fp may have
 *		been pushed as the first of them (push rbp)
 *	FRAMED	fp leads to V8's frame record; where sp is does not matter
 *	AT_FP	the same, and sp is fp (mov rbp, rsp)
 *	POPPED	the return address was popped into a register, and is below sp still
 *	HELD	it was popped into a scratch register (core/native/row.h), or copied before fp was
 *		loaded, where it stays while what lies above it is moved
 *	AT	a scratch register has the sp of before the stack was made larger by a number that
 *		is not known: the return address is there
 *	COPYING	what lies there is copied down by a loop, the return address first: it is there,
 *		or at sp already
 *	ALIGNED	as BARE, and sp was aligned for a call of C++: where it was is kept at sp
 *	LOST	two ways that don't agree, or something that is not understood
 *
 * Instructions that nothing leads to (catch blocks, targets of tables) are tried with
 * the frame that the builtin has elsewhere; a trial that contradicts itself changes
 * nothing. And where a builtin is left for another, the return address is at sp, whatever
 * was not understood before.
 *
 * A handler of the interpreter counts as the function that is interpreted: fp leads to
 * that function's frame, and the handler is called by the interpreter's entry alone. Where
 * it builds a frame of its own fp leads there.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../unwind/flow_code.h"
#include "../util/cleanup.h"
#include "v8_build.h"
#include "v8_rows.h"
#include "v8_rows_arm64.h"

#define MAX_BUILTIN_LEN (256u << 10) /* the longest of V8 14.6 has 31 KiB */
#define MAX_HEIGHT 4096 /* words */
#define TRIAL_STEPS 12 /* of all trials, for each instruction; V8 8.4 to 14.6 need 5 at most */

enum where { UNKNOWN, BARE, FRAMED, AT_FP, POPPED, HELD, AT, COPYING, ALIGNED, LOST };

struct state {
	u8 where;
	bool fp_pushed; /* BARE: the caller's fp is the first word */
	u8 scratch; /* 1 + which one HELD and AT are about; BARE: has the sp of height 0; 0: none */
	u32 height; /* BARE, ALIGNED: words between the return address and sp, or where sp was */
};

struct work {
	struct flow_code code;
	const u8 *bytes;
	u32 len;
	struct state *states; /* of each instruction, before it */
	u32 *todo, *tried;
	u32 n_todo, n_tried;
	u32 trial_steps; /* that are left; trials that contradict each other could take n * n */
	bool is_trial, is_contradicted;
};

static const struct state lost = { .where = LOST };
static const struct state framed = { .where = FRAMED };

const struct uw_rule v8_rule_framed = { 16, -8, -16, UW_CFA_FP, UW_SAVED_CFA, UW_SAVED_CFA, 0 };

/* ---- one instruction ---- */

static struct state bare(const struct state *s, s64 height, bool fp_pushed)
{
	if (height < 0 || height > MAX_HEIGHT || (s->fp_pushed && !height))
		return lost;
	return (struct state){
		.where = BARE, .height = (u32)height, .fp_pushed = fp_pushed, .scratch = s->scratch
	};
}

/* Does it change the scratch register that @s is about? */
static bool is_overwritten(const struct state *s, const struct flow_insn *insn)
{
	bool is_loaded = insn->op == FLOW_POP || insn->op == FLOW_SCRATCH_FROM_SP;

	return s->scratch &&
	       (insn->writes_scratch >> (s->scratch - 1) & 1 ||
		(is_loaded && insn->scratch == s->scratch - 1) || insn->op == FLOW_CALL);
}

static struct state after_bare(const struct state *s, const struct flow_insn *insn)
{
	struct state kept = *s;

	if (is_overwritten(s, insn))
		kept.scratch = 0;
	s = &kept;
	switch (insn->op) {
	case FLOW_PUSH:
		/* The return address is copied down: where it was, an argument is put. */
		if (insn->arg == 8 * (s64)s->height && !s->fp_pushed)
			return (struct state){ .where = BARE };
		return bare(s, (s64)s->height + 1, s->fp_pushed);
	case FLOW_PUSH_FP:
		return bare(s, (s64)s->height + 1, s->fp_pushed || !s->height);
	case FLOW_POP:
		if (!s->height)
			return (struct state){ .where = insn->scratch < 0 ? POPPED : HELD,
					       .scratch = (u8)(insn->scratch + 1) };
		return bare(s, (s64)s->height - 1, s->fp_pushed);
	case FLOW_POP_FP:
		if (s->fp_pushed && s->height == 1)
			return (struct state){ .where = BARE };
		return lost;
	case FLOW_SP_ADD:
		return insn->arg % 8 ? lost : bare(s, (s64)s->height - insn->arg / 8, s->fp_pushed);
	case FLOW_FP_FROM_SP:
		return s->fp_pushed && s->height == 1 && !insn->arg
			       ? (struct state){ .where = AT_FP }
			       : lost;
	case FLOW_SCRATCH_FROM_SP:
		if (!s->height)
			kept.scratch = (u8)(insn->scratch + 1);
		return kept;
	case FLOW_SP_LOST:
		if (s->height || !s->scratch)
			return lost;
		return (struct state){ .where = AT, .scratch = s->scratch };
	case FLOW_SP_FROM_FP:
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
	case FLOW_LEAVE:
		return lost;
	}
	return kept;
}

/* Are these the bytes @before an instruction and on? */
static bool has_bytes(const struct work *w, const struct flow_insn *insn, u32 before,
		      const u8 *bytes, u32 len)
{
	return insn->off >= before && w->len - (insn->off - before) >= len &&
	       !memcmp(w->bytes + insn->off - before, bytes, len);
}

/* mov 8(%rbp), %rcx; mov (%rbp), %rbp */
static const u8 take_down[] = { 0x48, 0x8b, 0x4d, 0x08, 0x48, 0x8b, 0x6d, 0x00 };

static struct state after_framed(const struct work *w, const struct state *s,
				 const struct flow_insn *insn)
{
	if (has_bytes(w, insn, 4, take_down, sizeof(take_down)))
		return (struct state){ .where = HELD, .scratch = UW_RCX + 1 };
	switch (insn->op) {
	case FLOW_SP_FROM_FP:
		return (struct state){ .where = insn->arg ? FRAMED : AT_FP };
	case FLOW_LEAVE:
		return (struct state){ .where = BARE };
	case FLOW_POP_FP:
		return (struct state){ .where = s->where == AT_FP ? BARE : LOST };
	case FLOW_FP_FROM_SP:
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
		return lost;
	case FLOW_PUSH:
	case FLOW_PUSH_FP:
	case FLOW_POP:
	case FLOW_SP_ADD:
	case FLOW_SP_LOST:
	case FLOW_CALL:
		return framed;
	}
	return *s;
}

static struct state after_held(const struct state *s, const struct flow_insn *insn)
{
	switch (insn->op) {
	case FLOW_PUSH:
		return insn->scratch == s->scratch - 1 ? (struct state){ .where = BARE } : *s;
	case FLOW_LEAVE:
	case FLOW_PUSH_FP:
	case FLOW_POP_FP:
	case FLOW_FP_FROM_SP:
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
		return lost;
	}
	return is_overwritten(s, insn) ? lost : *s;
}

static bool is_plain(const struct flow_insn *insn)
{
	return insn->op == FLOW_OTHER || insn->op == FLOW_NOP || insn->op == FLOW_BRANCH ||
	       insn->op == FLOW_JUMP;
}

static struct state after_made_room(const struct state *s, const struct flow_insn *insn)
{
	if (insn->writes_at_sp)
		return (struct state){ .where = BARE };
	return is_plain(insn) && !is_overwritten(s, insn) ? *s : lost;
}

/* A loop that copies begins with one of them and goes on with the other. */
static bool is_copying(const struct state *a, const struct state *b)
{
	return (a->where == AT || a->where == COPYING) &&
	       (b->where == COPYING || (b->where == BARE && !b->height));
}

/* mov %rsp, %r10; sub $8, %rsp; and $-16, %rsp; mov %r10, (%rsp) */
static const u8 align_sp[] = { 0x49, 0x89, 0xe2, 0x48, 0x83, 0xec, 0x08, 0x48,
			       0x83, 0xe4, 0xf0, 0x4c, 0x89, 0x14, 0x24 };
#define ALIGN_AT 7 /* of the third */
#define KEEP_AT 11 /* of the fourth */
#define RESTORE_LEN 4
static const u8 restore_sp[RESTORE_LEN] = { 0x48, 0x8b, 0x24, 0x24 }; /* mov (%rsp), %rsp */

static struct state after_aligning(const struct work *w, const struct state *s,
				   const struct flow_insn *insn)
{
	if (has_bytes(w, insn, ALIGN_AT, align_sp, sizeof(align_sp)))
		return (struct state){ .where = ALIGNED, .height = s->height - 1 };
	return lost;
}

static struct state after_aligned(const struct work *w, const struct state *s,
				  const struct flow_insn *insn)
{
	if (has_bytes(w, insn, 0, restore_sp, sizeof(restore_sp)))
		return (struct state){ .where = BARE, .height = s->height };
	return is_plain(insn) || insn->op == FLOW_CALL ? *s : lost;
}

static struct state after(const struct work *w, const struct state *s, const struct flow_insn *insn)
{
	switch (s->where) {
	case BARE:
		return insn->op == FLOW_SP_LOST && s->height && !s->fp_pushed
			       ? after_aligning(w, s, insn)
			       : after_bare(s, insn);
	case ALIGNED:
		return after_aligned(w, s, insn);
	case FRAMED:
	case AT_FP:
		return after_framed(w, s, insn);
	case POPPED:
		return is_plain(insn) ? *s : lost;
	case HELD:
		return after_held(s, insn);
	case AT:
	case COPYING:
		return after_made_room(s, insn);
	}
	return *s;
}

/* ---- all of a builtin ---- */

static bool same(const struct state *a, const struct state *b)
{
	return a->where == b->where && a->height == b->height && a->fp_pushed == b->fp_pushed &&
	       a->scratch == b->scratch;
}

/* The same, but for a register that has the sp in one of them alone. */
static bool same_stack(const struct state *a, const struct state *b)
{
	struct state like = *a;

	like.scratch = b->scratch;
	return a->where == BARE && same(&like, b);
}

static bool is_framed(const struct state *s)
{
	return s->where == FRAMED || s->where == AT_FP;
}

/*
 * A state changes three times at most: to a known one, to one without a register, from AT_FP to
 * FRAMED or from AT to COPYING, to LOST.
 */
static void join(struct work *w, u32 i, const struct state *s)
{
	struct state *old = &w->states[i];

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
	struct state s = after(w, &w->states[i], insn);

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

static void follow_from(struct work *w, u32 i, const struct state *s)
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
		w->states[w->tried[k]] = (struct state){};
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
		return !(insn->arg % 8) && *height >= 0 && *height <= MAX_HEIGHT;
	case FLOW_PUSH:
		if (!*height && (insn->arg <= 0 || insn->arg % 8))
			return false;
		*height = *height ? *height - 1 : insn->arg / 8;
		return *height <= MAX_HEIGHT;
	}
	return false;
}

/* Before the instruction at @off, -1: it is not known. */
static s64 height_at(const struct work *w, u32 off)
{
	const struct flow_insn *insn = flow_code_at(&w->code, off);
	const struct state *s = insn ? &w->states[insn - w->code.insns] : &lost;

	return s->where == BARE && !s->fp_pushed ? (s64)s->height : -1;
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
			w->states[i] = (struct state){ .where = BARE, .height = (u32)height };
	}
}

static void follow_all(struct work *w, const struct state *start)
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
	struct state start;
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

static struct state start_of(const char *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct entry *e = &entries[i];

		if (e->is_prefix ? !strncmp(name, e->name, strlen(e->name))
				 : !strcmp(name, e->name))
			return e->start;
	}
	return (struct state){ .where = BARE };
}

static bool rule_from(const struct state *s, struct uw_rule *rule)
{
	*rule = (struct uw_rule){ .cfa = UW_CFA_SP, .ra = UW_SAVED_CFA, .ra_off = -8 };
	switch (s->where) {
	case BARE:
		rule->cfa_off = 8 * ((s32)s->height + 1);
		return true;
	case FRAMED:
	case AT_FP:
		*rule = v8_rule_framed;
		return true;
	case POPPED:
		return true;
	case ALIGNED: /* the caller's sp lies higher: fp leads on from it */
		rule->cfa = UW_CFA_AT_SP;
		rule->ra_off = 8 * (s32)s->height;
		return true;
	case HELD:
		rule->ra = UW_SAVED_SCRATCH;
		rule->ra_off = 0;
		rule->cfa_add = (s8)(s->scratch - 1);
		return true;
	case AT:
		rule->cfa = UW_CFA_SCRATCH;
		rule->cfa_off = 8;
		rule->cfa_add = (s8)(s->scratch - 1);
		return true;
	}
	return false;
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

		/* Where sp was is not kept yet. */
		if (w->states[i].where == ALIGNED &&
		    has_bytes(w, insn, KEEP_AT, align_sp, sizeof(align_sp)))
			continue;
		if (rule_from(&w->states[i], &rule))
			sink->fn(&rule, sink->addr + insn->off, sink->addr + insn->off + insn->len,
				 sink->data);
	}
}

static int follow_builtin(const u8 *bytes, u32 len, const struct state *start,
			  const struct sink *sink)
{
	_cleanup_free_ struct state *states = NULL;
	_cleanup_free_ u32 *todo = NULL, *tried = NULL;
	struct work w = { .bytes = bytes, .len = len };
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
	struct state start = start_of(b->name);
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
