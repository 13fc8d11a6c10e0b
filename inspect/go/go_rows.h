/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Unwind rules of a Go program's code, by its linker's table. */

#include "../../core/native/row.h"
#include "go_table.h"

/**
 * go_rows() - the rules of a range of code
 * @is_arm64:	else x86-64
 * @fn:		called for each piece that has one; it may reach over the edges
 *
 * Of code that is broken or takes too much work there is none.
 *
 * Return: 0 or what reading gave.
 */
int go_rows(const struct go_table *t, bool is_arm64, u64 start, u64 end,
	    void (*fn)(const struct uw_rule *rule, u64 start, u64 end, void *data), void *data);
