/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Targets over which a broken guest must show: the bundled stacks, random ones, and ones that are
 * derived from the bundled ones:
 *
 *	a page ends within the stack's words
 *	other instructions at pc: those that a rule looks for, and those that are a bit off
 *	another pc in code of .NET, also where no method is
 *	more rows in each page, so that a search takes more steps
 *	a process that keeps what was found, which the second of two walks uses
 *
 * What a walk must find in a derived one is not known; that all engines find the same is. They are
 * the same in each run.
 */

#include "../core/walks.h"

#define GUEST_MAX_TARGETS 1024

struct guest_targets {
	struct sim_target at[GUEST_MAX_TARGETS];
	u32 n;
};

/* Ends with guest_targets_deinit(). */
void guest_targets_init(struct guest_targets *t, const struct arch_row *arch);
void guest_targets_deinit(struct guest_targets *t);
