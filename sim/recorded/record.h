/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The way out of the simulator: one stop of a case becomes a file. */

#include "../../inspect/case/case_rows.h"
#include "../case/case.h"
#include "../case/error.h"

/**
 * sim_case_write() - write what an unwinder needs at one stop
 * @c:		whose stop it is: architecture and functions
 * @target:	registers, tables and image memory as they are there
 * @truth:	what is to be found, with @status; NULL: not to be told
 * @path:	NAME.core or NAME.core.zst
 *
 * Of the stack everything from sp on is written, of the rest the pages that are not
 * zero. Memory that cannot be read is written as faults, all that is not mapped
 * included. Nothing of @target changes.
 *
 * Return: 0 or a negative errno with @error set.
 */
int sim_case_write(const struct sim_case *c, const struct sim_target *target,
		   const struct sim_truth *truth, u8 status, const char *path,
		   struct sim_error *error);

/* The rows of @t that a walk over it used, as case_rows_used(). */
int sim_rows_used(const struct sim_target *t, const struct uw_sample *s, struct case_row **out,
		  u32 *n);
