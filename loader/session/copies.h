/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds anonymous memory that is a copy of a runtime's code, and treats it as a mapping of the file
 * from which it was copied.
 */

#include "../process/process.h"
#include "../runtime/runtime.h"

/**
 * copies_take() - handle one mapping, if it is a copy of a runtime's code
 * @p:		the process, whose mappings are changed
 * @rt:		a runtime of @p that has is_copy()
 * @fd:		the runtime's file, borrowed; negative: nothing is a copy
 * @start_addr, @len: the anonymous mapping, in bytes
 *
 * If out of memory, nothing changes.
 */
void copies_take(struct process *p, const struct runtime *rt, int fd, u64 start_addr, u64 len);

/* Finds all copies that the process has now, by reading /proc. */
void copies_find(struct process *p, const struct runtime *rt, int fd);
