/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "take.h"

/**
 * take_tables() - what the walk had beside memory: mappings, layouts, rows, what it found
 *
 * Return: 0, -ESTALE when the mappings or rows are not those of the walk any more, -ENOMEM.
 */
int take_tables(struct taken *t, const struct session_stack *stack);
void tables_free_taken(struct taken *t);
