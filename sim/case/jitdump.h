/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A case's code as a jitdump, for whoever reads such; and a jitdump of either machine, read. */

#include <stdio.h>

#include "case.h"
#include "error.h"

/**
 * sim_jitdump_write() - each function of a case as a LOAD
 * @n_missing:	functions whose bytes the case does not have, left out
 *
 * Return: 0, -ENODATA (all of them), -ENOMEM or -EIO.
 */
int sim_jitdump_write(const struct sim_case *c, FILE *out, u32 *n_missing);

/* As sim_case_kind has them. Code alone is no case: there is no stack, so it can't be loaded. */
int sim_jitdump_show(const char *path, const char *arch, struct sim_error *error);
int sim_jitdump_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		     struct sim_error *error);
