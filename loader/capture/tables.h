/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "take.h"

/**
 * take_tables() - copy the input of the walk other than memory, and its result
 *
 * Copies mappings, V8 layouts and rows.
 *
 * Return: 0, -ESTALE when mappings or rows have changed since the walk, -ENOMEM.
 */
int take_tables(struct taken *t, const struct session_stack *stack);
void tables_free_taken(struct taken *t);
