/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Joins of paths in an x86-64 builtin, and backward analysis from the builtin's exits: when a
 * builtin returns, or jumps to another builtin, the return address is at sp, even after
 * instructions that the analysis did not understand.
 */

#include "x86_64.h"

/* Are these the states of a loop that copies words, before its first and its later iterations? */
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

/* Are the states equal, except for a register that has sp in only one of them? */
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
 * A state changes at most three times: it loses the register; it goes from AT_FP to FRAMED or from
 * AT to COPYING; it becomes LOST.
 */
enum data_flow_join v8_row_join(const void *user, u32 i, void *before, const void *now,
				enum data_flow_when when)
{
	struct v8_row_state *old = before;
	const struct v8_row_state *s = now;

	(void)user;
	(void)i;
	if (same(old, s) || (old->where == FRAMED && s->where == AT_FP) ||
	    (same_stack(old, s) && !old->scratch))
		return DATA_FLOW_SAME;
	if (is_framed(old) && is_framed(s)) {
		*old = framed;
	} else if (same_stack(old, s)) {
		old->scratch = 0;
	} else if (is_copying(old, s)) {
		if (old->where == COPYING)
			return DATA_FLOW_SAME;
		old->where = COPYING;
	} else if (when != DATA_FLOW_SURE) {
		return DATA_FLOW_CONTRADICTED;
	} else if (old->where == LOST) {
		return DATA_FLOW_SAME;
	} else {
		*old = lost;
	}
	return DATA_FLOW_CHANGED;
}

bool v8_row_transfer(const void *user, u32 i, void *state)
{
	const struct v8_row_text *text = user;
	const struct flow_insn *insn = &text->code.insns[i];
	struct v8_row_state *s = state;

	*s = v8_row_after(text, s, insn);
	return s->where != LOST && (insn->op != FLOW_RET || (s->where == BARE && !s->height));
}

/* ---- backwards ---- */

struct work {
	const struct flow_code *code;
	struct v8_row_state *states; /* of each instruction, before it */
};

static bool is_known(const struct work *w, u32 i)
{
	return w->states[i].where != LOST && w->states[i].where != UNKNOWN;
}

/* Is @insn a return, or a jump out of the builtin? */
static bool is_exit(const struct work *w, const struct flow_insn *insn)
{
	return insn->op == FLOW_RET ||
	       (insn->op == FLOW_JUMP && (insn->arg < 0 || !flow_code_at(w->code, (u32)insn->arg)));
}

/*
 * Computes the height before @insn from the height after it. Only a copy of the return address can
 * lead to height 0.
 */
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

#define NO_HEIGHT (-1)

/* Returns the height before the instruction at @off, or NO_HEIGHT if the height is unknown. */
static s64 height_at(const struct work *w, u32 off)
{
	const struct flow_insn *insn = flow_code_at(w->code, off);
	const struct v8_row_state *s = insn ? &w->states[insn - w->code->insns] : &lost;

	return s->where == BARE && !s->fp_pushed && !s->fp_at ? (s64)s->height : NO_HEIGHT;
}

/*
 * Returns the height after an instruction, or NO_HEIGHT if the height is unknown or the paths of a
 * branch disagree.
 */
static s64 height_after(const struct work *w, const struct flow_insn *insn)
{
	s64 next = height_at(w, insn->off + insn->len);

	if (insn->op == FLOW_JUMP)
		return height_at(w, (u32)insn->arg);
	return insn->op != FLOW_BRANCH || height_at(w, (u32)insn->arg) == next ? next : NO_HEIGHT;
}

/*
 * Goes backwards from the exits as long as all paths have the same height, so it does not enter
 * loops. The pass ends, at the latest, at the instruction that removes the frame, because the state
 * before this instruction is known.
 */
void v8_row_follow_exits(const struct v8_row_text *text, void *states)
{
	const struct work *w = &(struct work){ &text->code, states };

	for (u32 i = w->code->n; i--;) {
		const struct flow_insn *insn = &w->code->insns[i];
		bool is_end = is_exit(w, insn);
		s64 height = is_end || is_known(w, i) ? 0 : height_after(w, insn);

		if (!is_known(w, i) && height >= 0 && (is_end || height_before(insn, &height)))
			w->states[i] =
				(struct v8_row_state){ .where = BARE, .height = (u32)height };
	}
}

const struct v8_row_state v8_row_pushed = { .where = BARE, .height = 1 };
const struct v8_row_state v8_row_called = { .where = BARE };
