/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * x86-64: a call pushes its return address. Code can load the return address into a register and
 * store it elsewhere, or copy it to make room for arguments; meanwhile the address stays on the
 * shadow stack. A jump through a register to the innermost return address counts as a return.
 */

#include "shadow_stack.h"

/* Intel SDM volume 2: CALL is E8 or FF /2, JMP to a register FF /4, RET C3 or C2, POP 58+r;
 * MOV of 8(%rbp) to a register 8B with ModRM 01 reg 101, after a REX prefix with W; with B
 * the base is %r13. */
enum shadow_insn shadow_classify(const u8 *insn)
{
	const u8 *p = insn;
	u8 rex = 0;

	while (p < insn + 3 && (*p == 0x2e || *p == 0x3e || *p == 0xf2 || *p == 0xf3 || *p == 0x66))
		p++;
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	if (p[0] == 0xe8 || (p[0] == 0xff && ((p[1] >> 3) & 7) == 2))
		return SHADOW_CALL;
	if (p[0] == 0xff && p[1] >> 3 == 0x1c)
		return SHADOW_JUMP;
	if (p[0] == 0xc3 || p[0] == 0xc2)
		return SHADOW_RET;
	if ((rex & 0x09) == 0x08 && p[0] == 0x8b && (p[1] & 0xc7) == 0x45 && p[2] == 8)
		return SHADOW_LOAD;
	return p[0] >= 0x58 && p[0] <= 0x5f ? SHADOW_POP : SHADOW_OTHER;
}

u64 shadow_loads_from(enum shadow_insn insn, const struct uw_regs *before)
{
	return insn == SHADOW_POP ? before->sp : insn == SHADOW_LOAD ? before->fp + 8 : 0;
}

u64 shadow_called_from(const struct uw_regs *regs, u64 top)
{
	(void)regs;
	return top;
}

void shadow_step(struct shadow_stack *s, enum shadow_insn insn, const struct uw_regs *before,
		 const struct uw_regs *after, u64 top, u64 loaded)
{
	u64 ra = shadow_ra(s, 0);

	if (insn == SHADOW_CALL && after->sp == before->sp - 8) {
		shadow_push(s, after->sp, top);
	} else if (insn == SHADOW_RET || (insn == SHADOW_JUMP && after->pc == ra)) {
		shadow_pop(s, after->pc, after->sp);
	} else if (s->n && s->entries[s->n - 1].is_popped) {
		if (after->pc == ra)
			shadow_pop(s, after->pc, after->sp);
		else if (after->sp < before->sp && top == ra)
			s->entries[s->n - 1].addr = after->sp,
					  s->entries[s->n - 1].is_popped = false;
	} else if (s->n && (insn == SHADOW_POP || insn == SHADOW_LOAD) && loaded == ra) {
		s->entries[s->n - 1].is_popped = true;
	} else {
		shadow_drop_dead(s, after->sp);
	}
}
