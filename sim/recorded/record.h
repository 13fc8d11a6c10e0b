/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Writes one stop of a simulator case to a file. */

#include "../../inspect/case/case_rows.h"
#include "../case/case.h"
#include "../case/error.h"

/**
 * sim_case_write() - write the data that an unwinder needs at a stop
 * @c:		the case of the stop: architecture and functions
 * @target:	registers, tables and image memory at the stop
 * @truth:	the true stack, written with @status; NULL: no true stack is written
 *
 * Writes all of the stack from sp on, and the other pages that are not zero. Memory that cannot
 * be read, including unmapped memory, is written as faults. Does not change @target.
 *
 * Return: 0 or a negative errno with @error set.
 */
int sim_case_write(const struct sim_case *c, const struct sim_target *target,
		   const struct sim_truth *truth, u8 status, const char *path,
		   struct sim_error *error);

/* Like case_rows_used(), finds the rows of @t that a walk over @t used. */
int sim_rows_used(const struct sim_target *t, const struct uw_sample *s, struct case_row **out,
		  u32 *n);
