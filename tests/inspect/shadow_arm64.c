/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * arm64: a call puts its return address into lr. The callee may save lr anywhere, and may raise sp
 * above the sp at the call, if it drops arguments before it returns. So an entry whose sp is below
 * the current sp is dead only if lr has another value than the return address.
 */

#include <string.h>

#include "shadow_stack.h"

/*
 * Arm Architecture Reference Manual, DDI 0487, C4.1.65: B, BL, BR, BLR, RET; not their forms with
 * pointer authentication.
 */
enum shadow_insn shadow_classify(const u8 *insn)
{
	u32 w;

	memcpy(&w, insn, sizeof(w));
	if (w >> 26 == 0x25 || (w & 0xfffffc1f) == 0xd63f0000)
		return SHADOW_CALL;
	if ((w & 0xfffffc1f) == 0xd65f0000)
		return SHADOW_RET;
	return (w & 0xfffffc1f) == 0xd61f0000 ? SHADOW_JUMP : SHADOW_OTHER;
}

u64 shadow_loads_from(enum shadow_insn insn, const struct uw_regs *before)
{
	(void)insn;
	(void)before;
	return 0;
}

u64 shadow_called_from(const struct uw_regs *regs, u64 top)
{
	(void)top;
	return regs->lr;
}

void shadow_step(struct shadow_stack *s, enum shadow_insn insn, const struct uw_regs *before,
		 const struct uw_regs *after, u64 top, u64 loaded)
{
	(void)top;
	(void)loaded;
	if (insn == SHADOW_CALL && after->lr == before->pc + 4)
		shadow_push(s, before->sp, after->lr);
	else if (insn == SHADOW_RET || (insn == SHADOW_JUMP && after->pc == shadow_ra(s, 0)))
		shadow_pop(s, after->pc, after->sp);
	else if (after->lr != shadow_ra(s, 0))
		shadow_drop_dead(s, after->sp);
}
