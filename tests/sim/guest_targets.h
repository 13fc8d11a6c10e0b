/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Targets that expose a broken guest: the bundled stacks, random stacks, and targets derived from
 * the bundled ones:
 *
 *	a page ends within the stack's words
 *	other instructions at pc: instructions that have a rule, and slightly changed ones
 *	another pc in .NET code, also where there is no method
 *	more rows in each page, so that a search takes more steps
 *	a process that caches results, which the second of two walks uses
 *
 * The right walk of a derived target is unknown, but all engines must agree on it. The targets are
 * the same in each run.
 */

#include "../core/walks.h"

#define GUEST_MAX_TARGETS 1024

struct guest_targets {
	struct sim_target at[GUEST_MAX_TARGETS];
	u32 n;
};

/* Makes the targets; free them with guest_targets_deinit(). */
void guest_targets_init(struct guest_targets *t, const struct arch_row *arch);
void guest_targets_deinit(struct guest_targets *t);
