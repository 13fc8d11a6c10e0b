// SPDX-License-Identifier: BSD-2-Clause

/*
 * A hash table with open addressing, at most half full. Only the upper part of a pc, the
 * number of its MiB, is hashed. Therefore neighbouring pcs have neighbouring slots, which
 * suits code, because code is mostly sequential.
 */

#include "pcs.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024

static struct sweep_pc *find(const struct sweep_pcs *set, u64 pc)
{
	u32 mask = set->n_slots - 1, i = (u32)(pc + (pc >> 20) * 0x9e3779b9) & mask;

	while (set->slots[i].used && set->slots[i].pc != pc)
		i = (i + 1) & mask;
	return &set->slots[i];
}

static bool grow(struct sweep_pcs *set)
{
	struct sweep_pcs grown = { .n = set->n };

	grown.n_slots = set->n_slots ? set->n_slots * 2 : FIRST_SLOTS;
	grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (u32 i = 0; i < set->n_slots; i++)
		if (set->slots[i].used)
			*find(&grown, set->slots[i].pc) = set->slots[i];
	free(set->slots);
	*set = grown;
	return true;
}

struct sweep_pc *sweep_pcs_get(struct sweep_pcs *set, u64 pc)
{
	struct sweep_pc *slot;

	if (set->n * 2 >= set->n_slots && !grow(set))
		return NULL;
	slot = find(set, pc);
	if (!slot->used) {
		*slot = (struct sweep_pc){ .pc = pc, .used = true };
		set->n++;
	}
	return slot;
}

void sweep_pcs_deinit(struct sweep_pcs *set)
{
	free(set->slots);
	*set = (struct sweep_pcs){ 0 };
}
