/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Anonymous memory of a process that is a copy of a runtime's code becomes a mapping of the file
 * that it was copied from.
 */

#include "../process/process.h"
#include "../runtime/runtime.h"

/**
 * copies_take() - take one mapping for a copy, if it is one
 * @p:		its mappings are changed
 * @rt:		of @p, with is_copy()
 * @fd:		its file, borrowed; negative: nothing is a copy
 * @start_addr, @len: what was mapped without a file, in bytes
 *
 * What there is no memory for stays what it was.
 */
void copies_take(struct process *p, const struct runtime *rt, int fd, u64 start_addr, u64 len);

/* Asks /proc for all copies that the process has now. */
void copies_find(struct process *p, const struct runtime *rt, int fd);
