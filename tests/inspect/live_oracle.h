/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads the stacks that a program with fixtures/node/oracle.js prints. */

#include <stdio.h>

#include "../../core/types.h"

struct truth_frame {
	const char *name, *file; /* NULL: V8 has none */
	u32 line, column;
};

/* Innermost frame first. */
struct truth_stack {
	struct truth_frame *frames;
	size_t n;
};

struct truth {
	void *json; /* owns the strings */
	const char *leaf; /* the leaf's name */
	u32 leaf_first, leaf_last; /* first and last line of the leaf */
	struct truth_stack *stacks;
	size_t n;
};

/* Reads the oracle's line from @out. Return: 0; -EPROTO: no line, or a malformed one; -ENOMEM. */
int truth_read(struct truth **t, FILE *out);

/*
 * Copies @t, with @lines added to each line and @columns added to each column. Return: 0 or
 * -ENOMEM.
 */
int truth_copy(struct truth **copy, const struct truth *t, u32 lines, u32 columns);

/* *@t may be NULL, and is NULL afterwards. */
void truth_free(struct truth **t);
