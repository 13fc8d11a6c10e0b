/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "take.h"

/**
 * take_tables() - copy the result of the walk, and all input of the walk except
 * memory
 *
 * Copies mappings, V8 layouts and rows.
 *
 * Return: 0, -ESTALE if mappings or rows have changed since the walk, -ENOMEM.
 */
int take_tables(struct taken *t, const struct session_stack *stack);
void tables_free_taken(struct taken *t);
