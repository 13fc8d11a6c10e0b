/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The stacks that a program under fixtures/node/oracle.js says it has, read from its output. */

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
	u32 leaf_first, leaf_last; /* its lines */
	struct truth_stack *stacks;
	size_t n;
};

/* Waits for the line of the oracle on @out. 0; -EPROTO: none, or not as expected; -ENOMEM. */
int truth_read(struct truth **t, FILE *out);

/* A copy with each line and column higher by @lines and @columns. 0 or -ENOMEM. */
int truth_copy(struct truth **copy, const struct truth *t, u32 lines, u32 columns);

/* NULL in *@t is allowed; *@t is NULL afterwards. */
void truth_free(struct truth **t);
