/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The tree of the calls in many stacks. A call is the label of a frame below its caller; equal
 * calls of the same caller are one. Callers have smaller numbers than their callees. Private to
 * loader/out.
 *
 *	calls   | caller, label | caller, label | ...
 *	slots   open addressing, number of the call + 1 or 0
 */

#include "../../core/types.h"

#define CALL_ROOT (~0u) /* the caller of a stack's first frame */

struct call {
	u32 caller; /* number of the caller, or CALL_ROOT */
	u32 label;
};

struct call_tree {
	struct call *calls;
	u32 n, room;
	u32 *slots;
	u32 n_slots; /* a power of two, or 0 */
	u64 seed;
};

void call_tree_init(struct call_tree *t);
void call_tree_deinit(struct call_tree *t);

/**
 * call_tree_add() - add a stack
 * @path:	labels, root first
 * @n:		at least 1
 * @leaf:	number of the last call
 *
 * Return: 0, -ENOSPC for more than 2^25 calls, or -ENOMEM.
 */
int call_tree_add(struct call_tree *t, const u32 *path, u32 n, u32 *leaf);
