/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The tree of the calls in many stacks. A call is the label of a frame below its caller; equal
 * calls of the same caller are one. Callers have smaller numbers than their callees. Private to
 * loader/out.
 */

#include "../profile/intern.h"

#define CALL_ROOT (~0u) /* the caller of a stack's first frame */

struct call {
	u32 caller; /* number of the caller, or CALL_ROOT */
	u32 label;
};

struct call_tree {
	struct intern calls; /* struct call */
};

void call_tree_init(struct call_tree *t);
void call_tree_deinit(struct call_tree *t);

/**
 * call_tree_add() - add a stack
 * @path:	labels, root first
 * @n:		at least 1
 * @leaf:	number of the last call
 *
 * Return: 0, -ENOSPC for too many calls, or -ENOMEM.
 */
int call_tree_add(struct call_tree *t, const u32 *path, u32 n, u32 *leaf);

u32 call_tree_n(const struct call_tree *t);
struct call call_tree_get(const struct call_tree *t, u32 i);
