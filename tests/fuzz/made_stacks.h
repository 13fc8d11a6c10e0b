/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Stacks that become seeds like the bundled stacks, but can't be bundled. Some are for walks that
 * follow awaiters and hijacked return addresses, which not every engine does. One has a failed read
 * that changes nothing, which the fault sweep of the bundled stacks rejects. The others are made
 * from tables.
 */

#include "../../fixtures/stacks/layout.h"

/**
 * each_made_stack() - call @visit for each of these stacks
 * @visit:	the stack is valid until it returns
 *
 * The expected frames are those of a walk with the entries of fuzz_awaits().
 */
void each_made_stack(void (*visit)(const struct stack *stack, void *arg), void *arg);
