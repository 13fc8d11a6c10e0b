/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A hash table with open addressing and twice as many slots as rules, so that searches are short. A
 * rule has no padding, so rules can be compared and hashed as memory.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

int rules_init(struct rules *r, struct uw_rule *table, u32 cap)
{
	u32 n_slots = 4;

	while (n_slots < 2 * cap)
		n_slots *= 2;
	*r = (struct rules){ .table = table, .cap = cap, .n = 1, .slots_mask = n_slots - 1 };
	r->slots = calloc(n_slots, sizeof(*r->slots));
	if (!r->slots)
		return -ENOMEM;
	table[0] = (struct uw_rule){ .cfa = UW_CFA_NONE };
	return 0;
}

void rules_deinit(struct rules *r)
{
	free(r->slots);
	*r = (struct rules){};
}

/* Hashes both halves of a rule with the finalizer of MurmurHash3. */
static u32 hash(const struct uw_rule *rule)
{
	u64 half[2], h;

	memcpy(half, rule, sizeof(half));
	h = half[0] ^ (half[1] * 0x9e3779b97f4a7c15ull);
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
	return (u32)(h ^ h >> 33);
}

static bool has_room(const struct rules *r)
{
	for (const struct rules_share *s = r->share; s; s = s->of)
		if (s->n >= s->max)
			return false;
	return r->n < r->cap;
}

u32 rules_add(struct rules *r, const struct uw_rule *rule)
{
	u32 slot;

	if (rule->cfa == UW_CFA_NONE)
		return 0;
	for (slot = hash(rule) & r->slots_mask; r->slots[slot]; slot = (slot + 1) & r->slots_mask)
		if (!memcmp(&r->table[r->slots[slot]], rule, sizeof(*rule)))
			return r->slots[slot];
	if (!has_room(r)) {
		r->n_refused++;
		return 0;
	}
	for (struct rules_share *s = r->share; s; s = s->of)
		s->n++;
	r->table[r->n] = *rule;
	r->slots[slot] = r->n;
	return r->n++;
}
