/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Writes the code of a case as a jitdump, and prints jitdumps of either architecture. */

#include <stdio.h>

#include "case.h"
#include "error.h"

/**
 * sim_jitdump_write() - write a LOAD record for each function of a case
 * @n_missing:	number of functions omitted because the case does not contain their bytes
 *
 * Return: 0, -ENODATA (no function was written), -ENOMEM or -EIO.
 */
int sim_jitdump_write(const struct sim_case *c, FILE *out, u32 *n_missing);

/*
 * Prints a jitdump, as sim_case_kind.show. A jitdump has no stack, so it can't be loaded as a case.
 */
int sim_jitdump_show(const char *path, const char *arch, struct sim_error *error);
int sim_jitdump_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		     struct sim_error *error);
