/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Stacks that become seeds like the bundled ones, but can't be bundled: those of walks that follow
 * awaiters and hijacked return addresses, which not every engine does; one with a failed read that
 * changes nothing, which the fault sweep of the bundled stacks rejects; and those made from tables.
 */

#include "../../fixtures/stacks/layout.h"

/**
 * each_made_stack() - call @visit for each of these stacks
 * @visit:	the stack is valid until it returns
 *
 * The expected frames are those of a walk with the entries of fuzz_awaits().
 */
void each_made_stack(void (*visit)(const struct stack *stack, void *arg), void *arg);
