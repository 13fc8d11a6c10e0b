/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes targets of the bundled stacks (fixtures/stacks). */

#include "target.h"

struct stack;

/**
 * sim_stack_target() - lay a stack out in memory
 * @stack:	as bundled, or made like one
 * @arch:	one of STACK_X86_64, STACK_ARM64: picks what is usual there
 * @out:	its memory is the caller's, ends with sim_mem_free()
 *
 * The process's mappings lie in the middle of the pool, among those of others.
 *
 * Return: 0 or a negative errno (-EFAULT: a word lies outside the address plan).
 */
int sim_stack_target(const struct stack *stack, u32 arch, struct sim_target *out);

/**
 * sim_status_words() - what reports call a status
 */
const char *sim_status_words(u32 status);

/**
 * sim_kind_words() - what people call an enum uw_kind
 */
const char *sim_kind_words(u32 kind);
