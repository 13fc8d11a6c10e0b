/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Unwind rules of a Go program's code, from .gopclntab. */

#include "../unwind/cfi.h"
#include "go_table.h"

/*
 * A describe_fn; @table is a struct go_table. Code has no rule if its data is broken or has too
 * many values.
 */
int go_rows(const void *table, struct elf_file *f, u64 start, u64 end, rule_fn *fn, void *data);

/*
 * Makes a Go program's table a provider of @c. Return: 0, also for other programs, or a negative
 * errno.
 */
int go_rows_add(struct cfi *c, struct elf_file *f);
