/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Builtins of arm64, followed as v8_rows.c does those of x86-64. One is called, or jumped to:
 * at its first instruction the return address is in lr, and fp is the caller's. From there on
 *
 *	BARE	fp is the caller's. The return address is in lr, or was saved, or both
 *	FRAMED	fp leads to V8's frame record
 *	LOST	the return address is nowhere, or fp is something else
 *
 * and sp is height words below where it was, if that is known. Where two ways meet that
 * differ in what they have, what both have holds. That gets less and less, so it ends. V8's
 * own ways of leaving a frame:
 *
 *	mov sp, x29; ldp x29, x30, [sp], #16
 *	ldp x29, x30, [x29]		sp is put right later
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../unwind/flow_code.h"
#include "../util/cleanup.h"
#include "v8_rows_arm64.h"

#define MAX_HEIGHT 4096 /* words */
#define NO_HEIGHT (-1)
#define TRIAL_STEPS 12 /* of all trials, for each instruction */
#define LOAD_RECORD 0xa9407bbdu /* ldp x29, x30, [x29] */

enum where { UNKNOWN, BARE, FRAMED, LOST };

struct state {
	u8 where;
	bool has_lr; /* BARE: lr is the return address */
	s32 height; /* in words, or NO_HEIGHT: then nothing but a record counts as saved */
	s32 saved_ra, saved_fp; /* words below where sp was; 0: not saved */
};

struct work {
	struct flow_code code;
	const u8 *bytes;
	struct state *states; /* of each instruction, before it */
	u32 *todo, *tried;
	u32 n_todo, n_tried;
	u32 trial_steps; /* that are left; trials that contradict each other could take n * n */
	bool is_trial, is_contradicted;
};

static const struct state lost = { .where = LOST };
static const struct state framed = {
	.where = FRAMED, .height = NO_HEIGHT, .saved_ra = 1, .saved_fp = 2
};
static const struct state called = { .where = BARE, .has_lr = true };

/* ---- one instruction ---- */

static void set_height(struct state *s, s64 height)
{
	if (height < 0 || height > MAX_HEIGHT)
		height = NO_HEIGHT;
	s->height = (s32)height;
	if (s->where == FRAMED)
		return;
	if (s->saved_ra > s->height) /* what lies below sp may be overwritten */
		s->saved_ra = 0;
	if (s->saved_fp > s->height)
		s->saved_fp = 0;
}

static void add_to_sp(struct state *s, s64 bytes)
{
	if (s->height != NO_HEIGHT)
		set_height(s, bytes % 8 ? NO_HEIGHT : s->height - bytes / 8);
}

static void store(struct state *s, const struct flow_insn *insn)
{
	add_to_sp(s, insn->arg);
	if (s->height == NO_HEIGHT)
		return;
	if (insn->has_fp)
		s->saved_fp = s->height - insn->fp_at;
	if (insn->has_ra && s->has_lr)
		s->saved_ra = s->height - insn->ra_at;
}

/* Only what was saved may be loaded. */
static void load(struct state *s, const struct flow_insn *insn)
{
	if (insn->has_fp && (!s->saved_fp || s->height - insn->fp_at != s->saved_fp)) {
		*s = lost;
		return;
	}
	if (insn->has_ra)
		s->has_lr = s->saved_ra && s->height - insn->ra_at == s->saved_ra;
	add_to_sp(s, insn->arg);
}

/* fp becomes sp + @bytes: is the record there? */
static struct state framed_from(const struct state *s, s32 bytes)
{
	struct state now = *s;
	s32 at = s->height - bytes / 8;

	now.where = FRAMED;
	now.has_lr = false;
	return s->height != NO_HEIGHT && !(bytes % 8) && s->saved_fp == at && s->saved_ra == at - 1
		       ? now
		       : lost;
}

static struct state after_bare(const struct state *before, const struct flow_insn *insn)
{
	struct state s = *before;

	switch (insn->op) {
	case FLOW_STORE:
		store(&s, insn);
		break;
	case FLOW_LOAD:
		load(&s, insn);
		break;
	case FLOW_SP_ADD:
		add_to_sp(&s, insn->arg);
		break;
	case FLOW_SP_LOST:
	case FLOW_SP_FROM_FP:
		set_height(&s, NO_HEIGHT);
		break;
	case FLOW_CALL:
	case FLOW_LR_LOST:
		s.has_lr = false;
		break;
	case FLOW_FP_FROM_SP:
		return framed_from(&s, insn->arg);
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
		return lost;
	}
	return s.has_lr || s.saved_ra ? s : lost;
}

/* The record is loaded; sp += @bytes. */
static struct state unframed(const struct state *s, s32 bytes)
{
	struct state now = { .where = BARE, .has_lr = true, .height = s->height };

	add_to_sp(&now, bytes);
	return now;
}

static struct state after_framed(const struct work *w, const struct state *before,
				 const struct flow_insn *insn)
{
	struct state s = *before;
	u32 word;

	memcpy(&word, w->bytes + insn->off, sizeof(word));
	if (word == LOAD_RECORD)
		return unframed(&s, 0);
	switch (insn->op) {
	case FLOW_SP_FROM_FP:
		set_height(&s, insn->arg % 8 ? NO_HEIGHT : s.saved_fp - insn->arg / 8);
		return s;
	case FLOW_LOAD:
		if (insn->has_fp)
			return insn->has_ra && s.height != NO_HEIGHT &&
					       s.height - insn->fp_at == s.saved_fp &&
					       s.height - insn->ra_at == s.saved_ra
				       ? unframed(&s, insn->arg)
				       : lost;
		add_to_sp(&s, insn->arg);
		return s;
	case FLOW_STORE:
	case FLOW_SP_ADD:
		add_to_sp(&s, insn->arg);
		return s;
	case FLOW_SP_LOST:
		set_height(&s, NO_HEIGHT);
		return s;
	case FLOW_FP_FROM_SP:
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
		return lost;
	}
	return s;
}

static struct state after(const struct work *w, const struct state *s, const struct flow_insn *insn)
{
	if (s->where == BARE)
		return after_bare(s, insn);
	return s->where == LOST ? lost : after_framed(w, s, insn);
}

/* ---- all of a builtin ---- */

static bool same(const struct state *a, const struct state *b)
{
	return a->where == b->where && a->has_lr == b->has_lr && a->height == b->height &&
	       a->saved_ra == b->saved_ra && a->saved_fp == b->saved_fp;
}

static struct state both(const struct state *a, const struct state *b)
{
	struct state s = *a;

	if (a->where != b->where)
		return lost;
	if (a->height != b->height)
		set_height(&s, NO_HEIGHT);
	if (a->where == FRAMED)
		return a->saved_ra == b->saved_ra && a->saved_fp == b->saved_fp ? s : lost;
	s.has_lr &= b->has_lr;
	s.saved_ra = a->saved_ra == b->saved_ra ? s.saved_ra : 0;
	s.saved_fp = a->saved_fp == b->saved_fp ? s.saved_fp : 0;
	return s.has_lr || s.saved_ra ? s : lost;
}

static void join(struct work *w, u32 i, const struct state *s)
{
	struct state *old = &w->states[i];
	struct state now = old->where == UNKNOWN ? *s : both(old, s);

	if (same(old, &now))
		return;
	if (old->where == UNKNOWN && w->is_trial) {
		w->tried[w->n_tried++] = i;
	} else if (w->is_trial && now.where != FRAMED) {
		w->is_contradicted = true;
		return;
	}
	*old = now;
	w->todo[w->n_todo++] = i;
}

static void follow(struct work *w, u32 i)
{
	const struct flow_insn *insn = &w->code.insns[i], *to = NULL;
	struct state s = after(w, &w->states[i], insn);

	w->is_contradicted |= s.where == LOST || (insn->op == FLOW_RET && !s.has_lr);
	if (insn->arg >= 0 && (insn->op == FLOW_JUMP || insn->op == FLOW_BRANCH))
		to = flow_code_at(&w->code, (u32)insn->arg);
	if (to)
		join(w, (u32)(to - w->code.insns), &s);
	if (insn->op != FLOW_JUMP && insn->op != FLOW_STOP && insn->op != FLOW_RET &&
	    i + 1 < w->code.n)
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

/* What nothing leads to: with a frame, unless that contradicts itself. */
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

static void follow_all(struct work *w, const struct state *start)
{
	bool has_frame = false;

	follow_from(w, 0, start);
	for (u32 i = 0; i < w->code.n; i++)
		has_frame |= w->states[i].where == FRAMED;
	w->trial_steps = TRIAL_STEPS * w->code.n;
	for (u32 i = 0; has_frame && i < w->code.n && w->trial_steps; i++)
		if (w->states[i].where == UNKNOWN && w->code.insns[i].op != FLOW_STOP)
			try(w, i);
}

/* ---- rules ---- */

static bool rule_from(const struct state *s, struct uw_rule *rule)
{
	if (s->where != FRAMED && s->where != BARE)
		return false;
	*rule = (struct uw_rule){ .cfa = UW_CFA_SP };
	if (s->where == FRAMED) {
		rule->cfa = UW_CFA_FP;
		rule->cfa_off = 8 * s->saved_fp;
		rule->fp = UW_SAVED_CFA;
		rule->fp_off = -8 * s->saved_fp;
	} else if (s->height != NO_HEIGHT) {
		rule->cfa_off = 8 * s->height;
	}
	if (s->saved_ra) {
		rule->ra = UW_SAVED_CFA;
		rule->ra_off = -8 * s->saved_ra;
	}
	return true;
}

static void tell(const struct work *w, u64 addr, rule_fn *fn, void *data)
{
	struct uw_rule rule;

	for (u32 i = 0; i < w->code.n; i++) {
		u64 at = addr + w->code.insns[i].off;

		if (rule_from(&w->states[i], &rule))
			fn(&rule, at, at + w->code.insns[i].len, data);
	}
}

#define MAX_TODO 8 /* so often an instruction's state can change */

int v8_rows_arm64(const u8 *bytes, u32 len, u64 addr, bool is_framed_first, rule_fn *fn, void *data)
{
	_cleanup_free_ struct state *states = NULL;
	_cleanup_free_ u32 *todo = NULL, *tried = NULL;
	struct work w = { .bytes = bytes };
	int r = flow_code_arm64(&w.code, bytes, len, addr);

	if (r < 0)
		return r;
	w.states = states = calloc(w.code.n + 1, sizeof(*states));
	w.todo = todo = calloc(MAX_TODO * (size_t)w.code.n + 1, sizeof(*todo));
	w.tried = tried = calloc(w.code.n + 1, sizeof(*tried));
	if (states && todo && tried && w.code.n && !w.code.insns[0].off) {
		follow_all(&w, is_framed_first ? &framed : &called);
		tell(&w, addr, fn, data);
	}
	flow_code_deinit(&w.code);
	return states && todo && tried ? 0 : -ENOMEM;
}
