/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A limit on the time for reading hostile data. A small file or a few pages of memory can describe
 * work that takes hours: tables over a hole of a sparse file, lists whose nodes are shared. Readers
 * get all their data through file_read() and target_read(), and their loops end when a read fails.
 * Both functions fail once the current budget is spent, so no loop outlives its budget.
 *
 * An inner budget replaces the outer one until it ends, so that the symbols of a library, which
 * belong to all processes that map it, do not depend on the budget of one process. Without a
 * budget, reads are not limited. The current budget belongs to the calling thread.
 */

#include <stdbool.h>

#include "../../core/types.h"

struct budget {
	struct budget *outer;
	u64 began_ns, end_ns; /* CPU time of the thread */
	u64 checked_ns; /* CLOCK_MONOTONIC */
	u32 n_reads;
	bool is_spent;
};

/**
 * budget_begin() - limit the reads of this thread until budget_end()
 * @cpu_ns:	CPU time, on a machine of usual speed; on a slower machine the limit is higher
 */
void budget_begin(struct budget *b, u64 cpu_ns);

/* Ends the current budget. Return: the CPU time since budget_begin(), in the units of @cpu_ns. */
u64 budget_end(struct budget *b);

/* Whether the current budget is spent. Costs some ns; for loops that do not read. */
bool budget_is_spent(void);

/**
 * budget_stop_at() - let all budgets end at a time
 * @at_ns:	CLOCK_MONOTONIC; NEVER_NS: no such time
 */
void budget_stop_at(u64 at_ns);

/**
 * budget_set_stop() - let all budgets end soon after an event
 * @is_stopping:	returns true from the event on; called once in a while from reads; NULL:
 * none
 */
void budget_set_stop(bool (*is_stopping)(void));
