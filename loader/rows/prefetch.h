/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Prefetching rows: if one frame of a stack lacks rows, its callers probably also lack them. The
 * prefetched pages are the pages of code to which words on the stack point, if the words look
 * like return addresses. A wrong prefetch only costs the time to read a page.
 */

#include "../process/process.h"
#include "row_filler.h"

/* prefetch_stack() - prefetch for the stack of a thread, from its stack pointer */
void prefetch_stack(struct row_filler *rows, const struct process *p, u64 sp);

/* prefetch_first_stack() - prefetch for the outermost callers of the main thread */
void prefetch_first_stack(struct row_filler *rows, const struct process *p);

/*
 * prefetch_missed() - prefetch for a pc without rows, if the walk did not record the file offset of
 * the pc
 */
void prefetch_missed(struct row_filler *rows, const struct process *p, u64 pc);
