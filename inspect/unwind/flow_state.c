/* SPDX-License-Identifier: BSD-2-Clause */

#include "flow_state.h"

#define MAX_WORDS (1 << 17) /* maximum words of a frame: 1 MiB, which is the walk's limit */

const struct flow_state flow_start_x86_64 = {
	.kind = FLOW_KNOWN, .has_height = true, .height = 1, .saved_ra = 1
};
const struct flow_state flow_start_arm64 = { .kind = FLOW_KNOWN,
					     .has_height = true,
					     .has_lr = true };

bool flow_same(const struct flow_state *a, const struct flow_state *b)
{
	return a->kind == b->kind && a->has_height == b->has_height && a->has_fp == b->has_fp &&
	       a->lost_fp == b->lost_fp && a->has_lr == b->has_lr && a->height == b->height &&
	       a->fp_words == b->fp_words && a->saved == b->saved && a->saved_ra == b->saved_ra;
}

struct flow_state flow_both(const struct flow_state *a, const struct flow_state *b)
{
	struct flow_state s = *a;

	s.has_lr = a->has_lr && b->has_lr;
	s.has_fp = a->has_fp && b->has_fp && a->fp_words == b->fp_words;
	s.fp_words = s.has_fp ? s.fp_words : 0;
	return s;
}

bool flow_agree(const struct flow_state *a, const struct flow_state *b)
{
	struct flow_state x = flow_both(a, b), y = flow_both(b, a);

	return a->kind == FLOW_KNOWN && flow_same(&x, &y) && (x.has_height || x.has_fp);
}

bool flow_may_return(const struct flow_state *s, const struct flow_state *start)
{
	return s->has_height && s->height == start->height && !s->saved && !s->lost_fp &&
	       s->has_lr == start->has_lr && s->saved_ra == start->saved_ra;
}

static void set_height(struct flow_state *s, s64 bytes)
{
	s->has_height = bytes % 8 == 0 && bytes >= 0 && bytes < 8 * MAX_WORDS;
	s->height = s->has_height ? (s32)(bytes / 8) : 0;
	/*
	 * Memory below sp may be overwritten, so a return address in that memory is lost. This
	 * applies to arm64 only, because has_lr is false on x86-64.
	 */
	if (s->has_lr && s->has_height && s->saved_ra > s->height)
		s->saved_ra = 0;
}

static void lose_fp(struct flow_state *s)
{
	s->lost_fp |= !s->saved;
	s->has_fp = false;
	s->fp_words = 0;
}

/* Loads fp from sp + 8 * @words. */
static void load_fp(struct flow_state *s, s32 words)
{
	bool own = s->saved && s->has_height && s->height - words == s->saved;

	lose_fp(s);
	if (own)
		s->saved = 0;
}

static void save_fp(struct flow_state *s, s32 words)
{
	if (s->has_height && !s->saved && !s->lost_fp)
		s->saved = s->height - words;
}

static void load_ra(struct flow_state *s, s32 words)
{
	s->has_lr = s->saved_ra && s->has_height && s->height - words == s->saved_ra;
	if (s->has_lr)
		s->saved_ra = 0;
}

static void save_ra(struct flow_state *s, s32 words)
{
	if (s->has_height && !s->saved_ra && s->has_lr)
		s->saved_ra = s->height - words;
}

static void fp_from_sp(struct flow_state *s, s32 bytes)
{
	lose_fp(s);
	s->has_fp = s->has_height && bytes % 8 == 0 && bytes >= 0 && bytes / 8 <= s->height;
	s->fp_words = s->has_fp ? s->height - bytes / 8 : 0;
}

static void clear_fp(struct flow_state *s)
{
	if (!s->saved && !s->lost_fp)
		*s = (struct flow_state){ .kind = FLOW_ROOT };
	else
		lose_fp(s);
}

static void add_to_sp(struct flow_state *s, s64 bytes)
{
	if (s->has_height)
		set_height(s, 8 * (s64)s->height - bytes);
}

static void store(struct flow_state *s, const struct flow_insn *insn)
{
	add_to_sp(s, insn->arg);
	if (insn->has_fp)
		save_fp(s, insn->fp_at);
	if (insn->has_ra)
		save_ra(s, insn->ra_at);
}

static void load(struct flow_state *s, const struct flow_insn *insn)
{
	if (insn->has_fp)
		load_fp(s, insn->fp_at);
	if (insn->has_ra)
		load_ra(s, insn->ra_at);
	add_to_sp(s, insn->arg);
}

static void change_known(struct flow_state *s, const struct flow_insn *insn)
{
	switch (insn->op) {
	case FLOW_PUSH_FP:
		save_fp(s, -1);
		return add_to_sp(s, -8);
	case FLOW_PUSH:
		return add_to_sp(s, -8);
	case FLOW_POP_FP:
		load_fp(s, 0);
		return add_to_sp(s, 8);
	case FLOW_POP:
		return add_to_sp(s, 8);
	case FLOW_STORE:
		return store(s, insn);
	case FLOW_LOAD:
		return load(s, insn);
	case FLOW_SP_ADD:
		return add_to_sp(s, insn->arg);
	case FLOW_SP_FROM_FP:
		return set_height(s, s->has_fp ? 8 * (s64)s->fp_words - insn->arg : -1);
	case FLOW_FP_FROM_SP:
		return fp_from_sp(s, insn->arg);
	case FLOW_LEAVE:
		set_height(s, s->has_fp ? 8 * (s64)s->fp_words : -1);
		load_fp(s, 0);
		return add_to_sp(s, 8);
	case FLOW_SP_LOST:
		return set_height(s, -1);
	case FLOW_FP_ZERO:
		return clear_fp(s);
	case FLOW_FP_LOST:
		return lose_fp(s);
	case FLOW_CALL:
	case FLOW_LR_LOST:
		s->has_lr = false;
		return;
	}
}

void flow_change(struct flow_state *s, const struct flow_insn *insn)
{
	if (s->kind != FLOW_KNOWN)
		return;
	change_known(s, insn);
	if (s->kind == FLOW_KNOWN && !s->has_height && !s->has_fp)
		*s = (struct flow_state){ .kind = FLOW_TWO_WAYS };
}

bool flow_rule(const struct flow_state *s, struct uw_rule *rule)
{
	*rule = (struct uw_rule){ .cfa = UW_CFA_ROOT };
	if (s->kind == FLOW_ROOT)
		return true;
	if (s->kind != FLOW_KNOWN || (!s->saved_ra && !s->has_lr))
		return false;
	*rule = (struct uw_rule){
		.cfa = s->has_height ? UW_CFA_SP : UW_CFA_FP,
		.cfa_off = 8 * (s->has_height ? s->height : s->fp_words),
		.ra = s->saved_ra ? UW_SAVED_CFA : UW_SAVED_SAME,
		.ra_off = -8 * s->saved_ra,
		.fp = s->saved	   ? UW_SAVED_CFA
		      : s->lost_fp ? UW_SAVED_LOST
				   : UW_SAVED_SAME,
		.fp_off = -8 * s->saved,
	};
	return true;
}
