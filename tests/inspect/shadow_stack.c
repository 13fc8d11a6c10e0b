/* SPDX-License-Identifier: BSD-2-Clause */
#include "shadow_stack.h"

#define BASE_ADDR (~0ull)

/* Intel SDM volume 2: CALL is E8 or FF /2, JMP to a register FF /4, RET C3 or C2, POP 58+r. */
enum shadow_insn shadow_classify(const u8 *insn)
{
	const u8 *p = insn;

	while (p < insn + 3 && (*p == 0x2e || *p == 0x3e || *p == 0xf2 || *p == 0xf3 || *p == 0x66))
		p++;
	if ((*p & 0xf0) == 0x40)
		p++;
	if (p[0] == 0xe8 || (p[0] == 0xff && ((p[1] >> 3) & 7) == 2))
		return SHADOW_CALL;
	if (p[0] == 0xff && p[1] >> 3 == 0x1c)
		return SHADOW_JUMP;
	if (p[0] == 0xc3 || p[0] == 0xc2)
		return SHADOW_RET;
	return p[0] >= 0x58 && p[0] <= 0x5f ? SHADOW_POP : SHADOW_OTHER;
}

void shadow_begin(struct shadow_stack *s, const u64 *ras, u32 n)
{
	*s = (struct shadow_stack){ .n_lost = s->n_lost };
	for (u32 i = 0; i < n && i < SHADOW_MAX; i++) {
		s->entries[i].ra = ras[n - 1 - i];
		s->entries[i].addr = BASE_ADDR;
		s->n++;
	}
}

/* What lies below sp is gone, unless it is in a register. */
static void drop_dead(struct shadow_stack *s, u64 sp)
{
	while (s->n && s->entries[s->n - 1].addr < sp && !s->entries[s->n - 1].is_popped)
		s->n--;
}

static void push(struct shadow_stack *s, u64 addr, u64 ra)
{
	drop_dead(s, addr);
	if (s->n == SHADOW_MAX) {
		s->n_trusted = 0;
		s->is_lost = true;
		return;
	}
	s->entries[s->n].addr = addr;
	s->entries[s->n].ra = ra;
	s->entries[s->n++].is_popped = false;
}

/* A frame's memory is dead once sp is above: a match deeper down is a return past others. */
static void pop(struct shadow_stack *s, u64 pc, u64 sp)
{
	u32 n = s->n;

	while (n && s->entries[n - 1].ra != pc &&
	       (s->entries[n - 1].addr < sp || s->entries[n - 1].is_popped))
		n--;
	if (n && s->entries[n - 1].ra == pc) {
		s->n = n - 1;
		if (s->n < s->n_trusted)
			s->is_lost = false;
		return;
	}
	s->n = n;
	s->n_lost += !s->is_lost;
	if (!s->is_lost || n < s->n_trusted)
		s->n_trusted = n;
	s->is_lost = true;
}

void shadow_return(struct shadow_stack *s, const struct user_regs_struct *after)
{
	pop(s, after->rip, after->rsp);
}

void shadow_step(struct shadow_stack *s, enum shadow_insn insn,
		 const struct user_regs_struct *before, const struct user_regs_struct *after,
		 u64 top)
{
	u64 ra = shadow_ra(s, 0);

	if (insn == SHADOW_CALL && after->rsp == before->rsp - 8) {
		push(s, after->rsp, top);
	} else if (insn == SHADOW_RET || (insn == SHADOW_JUMP && after->rip == ra)) {
		pop(s, after->rip, after->rsp);
	} else if (s->n && s->entries[s->n - 1].is_popped) {
		if (after->rip == ra)
			pop(s, after->rip, after->rsp);
		else if (after->rsp < before->rsp && top == ra)
			s->entries[s->n - 1].addr = after->rsp,
					  s->entries[s->n - 1].is_popped = false;
	} else if (insn == SHADOW_POP && s->n && s->entries[s->n - 1].addr == before->rsp) {
		s->entries[s->n - 1].is_popped = true;
	} else {
		drop_dead(s, after->rsp);
	}
}

u64 shadow_ra(const struct shadow_stack *s, u32 i)
{
	return i < s->n ? s->entries[s->n - 1 - i].ra : 0;
}
