/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Rows that are about to be missed: where one frame of a stack had none, its callers
 * probably have none either. What looks like a return address on the stack tells
 * their pages. A wrong guess costs the time to read a page, nothing else.
 */

#include "../life/process.h"
#include "../rows/row_filler.h"

/* foresee_stack() - of a thread whose stack pointer is known */
void foresee_stack(struct row_filler *rows, const struct process *p, u64 sp);

/* foresee_first_stack() - the outermost callers of the main thread, wherever it is now */
void foresee_first_stack(struct row_filler *rows, const struct process *p);
