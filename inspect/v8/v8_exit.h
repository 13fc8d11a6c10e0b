/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The exits of optimized code, and what led to them. Private to inspect/v8. */

#include "v8_code.h"

extern const char v8_no_exit[]; /* the reason where an exit does not tell what led to it */

/*
 * Does an exit of @code return to @ra? @pc is set to what led to the exit, or 0; of code without
 * positions to the exit.
 */
bool v8_exit_left(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc);

/* Of code whose data are cleared: is there an exit at @pc or behind it? Where not known: true. */
bool v8_exit_may_be_at(struct v8_heap *h, const struct v8_code *code, u64 pc);

/*
 * Is @ra, the return address of a call, an exit of @code, which was given up meanwhile, or the
 * byte before it in one? Then, and if that can't be told, @pc is set to what led to the exit, or
 * 0; of code without positions to the exit.
 */
bool v8_exit_waits(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc);
