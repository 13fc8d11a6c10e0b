/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Rows that are about to be missed: where one frame of a stack had none, its callers
 * probably have none either. What looks like a return address on the stack tells
 * their pages. A wrong guess costs the time to read a page, nothing else.
 */

#include "../process/process.h"
#include "row_filler.h"

/* prefetch_stack() - of a thread whose stack pointer is known */
void prefetch_stack(struct row_filler *rows, const struct process *p, u64 sp);

/* prefetch_first_stack() - the outermost callers of the main thread, wherever it is now */
void prefetch_first_stack(struct row_filler *rows, const struct process *p);

/* prefetch_missed() - a walk came to code without rows, and did not say where in a file it is */
void prefetch_missed(struct row_filler *rows, const struct process *p, u64 pc);
