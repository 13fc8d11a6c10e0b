/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Determines the unwind state at each instruction of an arm64 builtin, for v8_rows.c. A builtin is
 * entered by a call or a jump, so at the builtin's first instruction, the return address is in lr,
 * and fp is the caller's. States:
 *
 *	BARE	fp is the caller's. The return address is in lr, or was saved, or both
 *	FRAMED	fp leads to V8's frame record
 *	LOST	the location of the return address or of fp is unknown
 *
 * In each state, sp is height words below the initial sp, unless the height is unknown. Where two
 * paths join, the state keeps only the facts that hold on both; their number only decreases, so the
 * analysis ends. V8 leaves a frame by one of these sequences:
 *
 *	mov sp, x29; ldp x29, x30, [sp], #16
 *	ldp x29, x30, [x29]		sp is adjusted later
 */

#include "../v8_arches.h"

#define MAX_HEIGHT 4096 /* words */
#define NO_HEIGHT (-1)

enum where { UNKNOWN, BARE, FRAMED, LOST };

struct state {
	u8 where;
	bool has_lr; /* BARE: lr holds the return address */
	s32 height; /* in words; if it is NO_HEIGHT, saved_ra and saved_fp are 0 unless FRAMED */
	s32 saved_ra, saved_fp; /* in words below the initial sp; 0: not saved */
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
	if (s->saved_ra > s->height) /* words below sp may be overwritten */
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

/* A load restores a register only if it reads the slot in which the register was saved. */
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

/*
 * Returns the state after fp = sp + @bytes: FRAMED if the frame record is at that address, else
 * LOST.
 */
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

/* Returns the state after a load of the frame record and sp += @bytes. */
static struct state unframed(const struct state *s, s32 bytes)
{
	struct state now = { .where = BARE, .has_lr = true, .height = s->height };

	add_to_sp(&now, bytes);
	return now;
}

static struct state after_framed(const struct v8_row_text *text, const struct state *before,
				 const struct flow_insn *insn)
{
	struct state s = *before;

	if (v8_insn_at(&v8_arm64, V8_INSN_LOAD_FRAME, text->bytes, text->len, insn->off))
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

static bool transfer(const void *user, u32 i, void *state)
{
	const struct v8_row_text *text = user;
	const struct flow_insn *insn = &text->code.insns[i];
	struct state *s = state;

	if (s->where == FRAMED)
		*s = after_framed(text, s, insn);
	else if (s->where == BARE)
		*s = after_bare(s, insn);
	return s->where != LOST && (insn->op != FLOW_RET || s->has_lr);
}

/* ---- joins ---- */

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

static enum data_flow_join join(const void *user, u32 i, void *before, const void *s,
				enum data_flow_when when)
{
	struct state *old = before, now = both(old, s);

	(void)user;
	(void)i;
	if (same(old, &now))
		return DATA_FLOW_SAME;
	if (when != DATA_FLOW_SURE && now.where != FRAMED)
		return DATA_FLOW_CONTRADICTED;
	*old = now;
	return DATA_FLOW_CHANGED;
}

/* ---- rules ---- */

static bool rule_at(const struct v8_row_text *text, u32 i, const void *state, struct uw_rule *rule)
{
	const struct state *s = state;

	(void)text;
	(void)i;
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

const struct v8_arch v8_arm64 = {
	.insns = { [V8_INSN_JUMP] = { { 0x14000000, 0xfc000000, 4, 0, 26, 2 } }, /* b */
		   [V8_INSN_LOAD_FRAME] = { { 0xa9407bbd, ~0u, 4 } } }, /* ldp x29, x30, [x29] */
	.state_size = sizeof(struct state),
	.start = { [V8_ROW_CALLED] = &called,
		   [V8_ROW_PUSHED] = &called,
		   [V8_ROW_FRAMED] = &framed },
	.decode = flow_code_arm64,
	.transfer = transfer,
	.join = join,
	.rule = rule_at,
};
