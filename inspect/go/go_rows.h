/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Unwind rules of a Go program's code, by its linker's table. */

#include "../unwind/cfi.h"
#include "go_table.h"

/* A describe_fn; @table: struct go_table. Code that is broken or takes too much work has no rule.
 */
int go_rows(const void *table, struct elf_file *f, u64 start, u64 end, rule_fn *fn, void *data);

/* Has a Go program's code described by its table. 0, also for other programs, or an errno. */
int go_rows_add(struct cfi *c, struct elf_file *f);
