/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes targets of the bundled stacks (fixtures/stacks). */

#include "target.h"

struct stack;

/**
 * sim_stack_target() - build the memory of a stack
 * @stack:	a bundled stack or similar
 * @arch:	STACK_X86_64 or STACK_ARM64, to select the defaults of that architecture
 * @out:	the target; the caller owns its memory, freed by sim_mem_free()
 *
 * The process's mappings are in the middle of the pool, between the mappings of other processes.
 *
 * Return: 0 or a negative errno (-EFAULT: a word is outside of the address plan).
 */
int sim_stack_target(const struct stack *stack, u32 arch, struct sim_target *out);

/**
 * sim_status_words() - get the name of a status for reports
 */
const char *sim_status_words(u32 status);

/**
 * sim_kind_words() - get the name of an enum uw_kind for reports
 */
const char *sim_kind_words(u32 kind);
