/* SPDX-License-Identifier: BSD-2-Clause */
#include "shadow_stack.h"

#define BASE_ADDR (~0ull)

void shadow_begin(struct shadow_stack *s, const u64 *ras, u32 n)
{
	*s = (struct shadow_stack){ .n_lost = s->n_lost };
	for (u32 i = 0; i < n && i < SHADOW_MAX; i++) {
		s->entries[i].ra = ras[n - 1 - i];
		s->entries[i].addr = BASE_ADDR;
		s->n++;
	}
}

void shadow_drop_dead(struct shadow_stack *s, u64 sp)
{
	while (s->n && s->entries[s->n - 1].addr < sp && !s->entries[s->n - 1].is_popped)
		s->n--;
}

void shadow_push(struct shadow_stack *s, u64 addr, u64 ra)
{
	shadow_drop_dead(s, addr);
	if (s->n == SHADOW_MAX) {
		s->n_trusted = 0;
		s->is_lost = true;
		return;
	}
	s->entries[s->n].addr = addr;
	s->entries[s->n].ra = ra;
	s->entries[s->n++].is_popped = false;
}

void shadow_pop(struct shadow_stack *s, u64 pc, u64 sp)
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

void shadow_return(struct shadow_stack *s, const struct uw_regs *after)
{
	shadow_pop(s, after->pc, after->sp);
}

u64 shadow_ra(const struct shadow_stack *s, u32 i)
{
	return i < s->n ? s->entries[s->n - 1 - i].ra : 0;
}
