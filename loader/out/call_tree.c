/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "../../inspect/util/array.h"

#define MAX_CALLS (1u << 25)
#define FIRST_SLOTS 1024

void call_tree_init(struct call_tree *t)
{
	*t = (struct call_tree){ 0 };
	/* Without a random seed, names could be chosen so that the hashes of calls collide. */
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) != sizeof(t->seed))
		t->seed = (u64)(size_t)t;
}

void call_tree_deinit(struct call_tree *t)
{
	free(t->calls);
	free(t->slots);
}

/* Returns the slot of a call, or the empty slot where it belongs. */
static u32 *slot_of(const struct call_tree *t, struct call call)
{
	u64 key = (u64)call.caller << 32 | call.label;
	unsigned __int128 product = (unsigned __int128)(key ^ t->seed) * 0x9e3779b97f4a7c15ull;
	u32 at = (u32)((u64)product ^ (u64)(product >> 64));

	for (;; at++) {
		u32 *slot = &t->slots[at & (t->n_slots - 1)];
		const struct call *c = *slot ? &t->calls[*slot - 1] : NULL;

		if (!c || (c->caller == call.caller && c->label == call.label))
			return slot;
	}
}

static int grow_slots(struct call_tree *t)
{
	u32 n_slots = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS;
	u32 *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	for (u32 i = 0; i < t->n; i++)
		*slot_of(t, t->calls[i]) = i + 1;
	return 0;
}

/* Makes room for another call. */
static int reserve(struct call_tree *t)
{
	if (t->n == MAX_CALLS)
		return -ENOSPC;
	if (array_reserve(t->calls, t->room, t->n + 1))
		return -ENOMEM;
	return (t->n + 1) * 3ull > t->n_slots * 2ull ? grow_slots(t) : 0;
}

int call_tree_add(struct call_tree *t, const u32 *path, u32 n, u32 *leaf)
{
	u32 at = CALL_ROOT;

	for (u32 i = 0; i < n; i++) {
		struct call call = { at, path[i] };
		int err = reserve(t);
		u32 *slot;

		if (err < 0)
			return err;
		slot = slot_of(t, call);
		if (!*slot) {
			t->calls[t->n] = call;
			*slot = ++t->n;
		}
		at = *slot - 1;
	}
	*leaf = at;
	return 0;
}
