/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Targets whose walks show whether a guest is broken: the bundled stacks, random stacks, and
 * targets derived from the bundled ones by a change:
 *
 *	a page ends within the words of the stack
 *	pc points to other instructions: those that have a rule, and slightly changed ones
 *	pc points elsewhere in .NET code, even where there is no method
 *	each page of rows has more rows, so that a search takes more steps
 *	the process caches results, which the second of two walks uses
 *
 * The right walk of a derived target is unknown, but all engines must return the same one. The
 * targets are the same in each run.
 */

#include "../core/walks.h"

#define GUEST_MAX_TARGETS 1024

struct guest_targets {
	struct sim_target at[GUEST_MAX_TARGETS];
	u32 n;
};

/* Makes all targets; the caller frees them with guest_targets_deinit(). */
void guest_targets_init(struct guest_targets *t, const struct arch_row *arch);
void guest_targets_deinit(struct guest_targets *t);
