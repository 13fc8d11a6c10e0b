/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The stacks that are built into the program (fixtures/stacks) as hand-laid cases, with
 * "stack:NAME" in place of a path.
 */

#include "case.h"
#include "error.h"

#define SIM_BUNDLED_PREFIX "stack:"

/* Returns the name with index @idx, without "stack:"; NULL: there are fewer names. */
const char *sim_bundled_name(u32 idx);

#define SIM_ALL_GROUPS (~0u)

/* Returns the group of the stack with index @idx, as a bit. */
u32 sim_bundled_group(u32 idx);

/* Returns the name of the group with bit @bit; NULL: there is no such group. */
const char *sim_bundled_group_name(u32 bit);

/**
 * sim_bundled_load() - make a case of a bundled stack, as sim_case_kind.load
 *
 * Return: 0, -ENOENT if no stack has this name, -ENOTSUP if the stack is not for @arch, or a
 * negative errno.
 */
int sim_bundled_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		     struct sim_error *error);

/* Frees the case; *@c may be NULL. */
void sim_bundled_free(struct sim_case **c);
