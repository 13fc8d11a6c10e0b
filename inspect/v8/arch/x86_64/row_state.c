/* SPDX-License-Identifier: BSD-2-Clause */

#include "../v8_arches.h"
#include "x86_64.h"

/* ---- one instruction ---- */

static struct v8_row_state bare(const struct v8_row_state *s, s64 height, bool fp_pushed)
{
	if (height < s->fp_at || height > V8_ROW_MAX_HEIGHT || (s->fp_pushed && !height))
		return lost;
	return (struct v8_row_state){ .where = BARE,
				      .height = (u32)height,
				      .fp_at = s->fp_at,
				      .fp_pushed = fp_pushed,
				      .scratch = s->scratch };
}

/* Does @insn change the scratch register of @s? */
static bool is_overwritten(const struct v8_row_state *s, const struct flow_insn *insn)
{
	bool is_loaded = insn->op == FLOW_POP || insn->op == FLOW_SCRATCH_FROM_SP;

	return s->scratch &&
	       (insn->writes_scratch >> (s->scratch - 1) & 1 ||
		(is_loaded && insn->scratch == s->scratch - 1) || insn->op == FLOW_CALL);
}

/* Does an instruction of @kind begin @before bytes before @insn? */
static bool is_in(const struct v8_row_text *text, const struct flow_insn *insn, u32 before,
		  enum v8_insn_kind kind)
{
	return insn->off >= before &&
	       v8_insn_at(&v8_x86_64, kind, text->bytes, text->len, insn->off - before);
}

static struct v8_row_state after_bare(const struct v8_row_text *text, const struct v8_row_state *s,
				      const struct flow_insn *insn)
{
	struct v8_row_state kept = *s;

	if (is_overwritten(s, insn))
		kept.scratch = 0;
	s = &kept;
	switch (insn->op) {
	case FLOW_PUSH:
		/*
		 * A builtin copies the return address down the stack, and replaces the old copy
		 * with an argument.
		 */
		if (insn->arg == 8 * (s64)s->height && !s->fp_pushed && !s->fp_at)
			return (struct v8_row_state){ .where = BARE };
		return bare(s, (s64)s->height + 1, s->fp_pushed);
	case FLOW_PUSH_FP:
		return bare(s, (s64)s->height + 1, s->fp_pushed || !s->height);
	case FLOW_POP:
		if (!s->height)
			return (struct v8_row_state){ .where = insn->scratch < 0 ? POPPED : HELD,
						      .scratch = (u8)(insn->scratch + 1) };
		return bare(s, (s64)s->height - 1, s->fp_pushed);
	case FLOW_POP_FP:
		if (s->height != (s->fp_pushed ? 1 : s->fp_at) || !s->height)
			return lost;
		return (struct v8_row_state){ .where = BARE, .height = s->height - 1 };
	case FLOW_SP_ADD:
		/*
		 * The builtin drops the return address, so that it continues in its caller's place.
		 */
		if (insn->arg == 8 * ((s64)s->height + 1) && !s->fp_pushed && !s->fp_at)
			return framed;
		return insn->arg % 8 ? lost : bare(s, (s64)s->height - insn->arg / 8, s->fp_pushed);
	case FLOW_FP_FROM_SP:
		if (s->fp_pushed && s->height == 1 && !insn->arg)
			return (struct v8_row_state){ .where = AT_FP };
		if (s->fp_pushed || s->fp_at || !is_in(text, insn, 1, V8_INSN_BUILD_FRAME))
			return lost;
		kept.fp_at = s->height;
		return kept;
	case FLOW_SCRATCH_FROM_SP:
		if (!s->height)
			kept.scratch = (u8)(insn->scratch + 1);
		return kept;
	case FLOW_SP_LOST:
		if (s->height || !s->scratch)
			return lost;
		return (struct v8_row_state){ .where = AT, .scratch = s->scratch };
	case FLOW_SP_FROM_FP:
		return s->fp_at && !insn->arg ? bare(s, s->fp_at, false) : lost;
	case FLOW_FP_LOST:
	case FLOW_FP_ZERO:
	case FLOW_LEAVE:
		return lost;
	}
	return kept;
}

static struct v8_row_state after_framed(const struct v8_row_text *text,
					const struct v8_row_state *s, const struct flow_insn *insn)
{
	if (is_in(text, insn, 4, V8_INSN_LOAD_FRAME))
		return (struct v8_row_state){ .where = HELD, .scratch = UW_RCX + 1 };
	switch (insn->op) {
	case FLOW_SP_FROM_FP:
		return (struct v8_row_state){ .where = insn->arg ? FRAMED : AT_FP };
	case FLOW_LEAVE:
		return (struct v8_row_state){ .where = BARE };
	case FLOW_POP_FP:
		return (struct v8_row_state){ .where = s->where == AT_FP ? BARE : LOST };
	case FLOW_FP_FROM_SP:
		if (is_in(text, insn, 1, V8_INSN_BUILD_FRAME))
			return (struct v8_row_state){ .where = INNER, .fp_at = 1 };
		return lost;
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

static struct v8_row_state after_inner(const struct v8_row_state *s, const struct flow_insn *insn)
{
	switch (insn->op) {
	case FLOW_SP_FROM_FP:
		return (struct v8_row_state){ .where = INNER, .fp_at = !insn->arg };
	case FLOW_LEAVE:
		return framed;
	case FLOW_POP_FP:
		return s->fp_at ? framed : lost;
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
		return (struct v8_row_state){ .where = INNER };
	}
	return *s;
}

static struct v8_row_state after_held(const struct v8_row_state *s, const struct flow_insn *insn)
{
	switch (insn->op) {
	case FLOW_PUSH:
		return insn->scratch == s->scratch - 1 ? (struct v8_row_state){ .where = BARE }
						       : *s;
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

static struct v8_row_state after_made_room(const struct v8_row_state *s,
					   const struct flow_insn *insn)
{
	if (insn->writes_at_sp)
		return (struct v8_row_state){ .where = BARE };
	return is_plain(insn) && !is_overwritten(s, insn) ? *s : lost;
}

/* Is @insn the instruction that begins @before bytes into a V8_INSN_ALIGN_SP? */
static bool is_aligning(const struct v8_row_text *text, const struct flow_insn *insn, u32 before)
{
	return is_in(text, insn, before, V8_INSN_ALIGN_SP) &&
	       v8_insn_before(&v8_x86_64, V8_INSN_SAVE_SP, text->bytes, text->len,
			      insn->off - before);
}

static struct v8_row_state after_aligning(const struct v8_row_text *text,
					  const struct v8_row_state *s,
					  const struct flow_insn *insn)
{
	if (is_aligning(text, insn, 0))
		return (struct v8_row_state){ .where = ALIGNED,
					      .height = s->height - 1,
					      .fp_at = s->fp_at };
	return lost;
}

static struct v8_row_state after_aligned(const struct v8_row_text *text,
					 const struct v8_row_state *s, const struct flow_insn *insn)
{
	if (is_in(text, insn, 0, V8_INSN_RESTORE_SP))
		return (struct v8_row_state){ .where = BARE,
					      .height = s->height,
					      .fp_at = s->fp_at };
	return is_plain(insn) || insn->op == FLOW_CALL ? *s : lost;
}

struct v8_row_state v8_row_after(const struct v8_row_text *text, const struct v8_row_state *s,
				 const struct flow_insn *insn)
{
	switch (s->where) {
	case BARE:
		return insn->op == FLOW_SP_LOST && s->height && !s->fp_pushed
			       ? after_aligning(text, s, insn)
			       : after_bare(text, s, insn);
	case ALIGNED:
		return after_aligned(text, s, insn);
	case FRAMED:
	case AT_FP:
		return after_framed(text, s, insn);
	case INNER:
		return after_inner(s, insn);
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

bool v8_row_rule(const struct v8_row_text *text, u32 i, const void *state, struct uw_rule *rule)
{
	const struct v8_row_state *s = state;

	*rule = (struct uw_rule){ .cfa = UW_CFA_SP, .ra = UW_SAVED_CFA, .ra_off = -8 };
	switch (s->where) {
	case BARE:
		rule->cfa_off = 8 * ((s32)s->height + 1);
		rule->fp = s->fp_at ? UW_SAVED_CFA : UW_SAVED_SAME;
		rule->fp_off = s->fp_at ? -8 * ((s32)s->fp_at + 1) : 0;
		return true;
	case INNER:
		*rule = (struct uw_rule){
			0, -8, -16, UW_CFA_AT_FP, UW_SAVED_CFA, UW_SAVED_CFA, 16
		};
		return true;
	case FRAMED:
	case AT_FP:
		*rule = v8_rule_framed;
		return true;
	case POPPED:
		return true;
	case ALIGNED: /* the CFA is then the old sp, below the return address */
		if (is_aligning(text, &text->code.insns[i], 4))
			return false; /* the old sp has not been saved */
		rule->cfa = UW_CFA_AT_SP;
		rule->ra_off = 8 * (s32)s->height;
		rule->fp = s->fp_at ? UW_SAVED_CFA : UW_SAVED_SAME;
		rule->fp_off = s->fp_at ? 8 * (s32)(s->height - s->fp_at) : 0;
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
