/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A query on a profile, and the rows of its result. */

#include "functions.h"
#include "origin.h"

enum query_shape {
	QUERY_FLAT, /* a table with a row for each group */
	QUERY_TREE, /* a tree from the roots to the leaves */
	QUERY_CALLERS, /* a tree from a function to the roots */
	QUERY_CALLEES, /* a tree from a function to the leaves */
	QUERY_AWAITED, /* a tree from each awaited function to the async callers that await it */
};

enum query_by {
	QUERY_BY_FUNCTION,
	QUERY_BY_LINE, /* function and executed line */
	QUERY_BY_FILE,
	QUERY_BY_PACKAGE,
	QUERY_BY_MODULE,
	QUERY_BY_KIND,
	QUERY_BY_RUNTIME,
	QUERY_BY_THREAD,
	QUERY_BY_PROCESS,
	QUERY_N_BY
};

enum query_only {
	QUERY_ALL,
	QUERY_APP,
	QUERY_JS,
	QUERY_DOTNET,
	QUERY_NATIVE,
	QUERY_KERNEL,
	QUERY_N_ONLY
};

/* Option arguments, in the order of the enum values. */
extern const char *const query_by_names[QUERY_N_BY], *const query_only_names[QUERY_N_ONLY];

struct query {
	enum query_shape shape;
	enum query_by by;
	enum query_only only;
	bool by_total; /* sort rows by total, else by self */
	/*
	 * A full name or, if there is none, part of a name. For callers and callees, this
	 * selects the root of the tree; for a table, it selects the rows.
	 */
	const char *function;
	const char *grep; /* extended regular expression that some frame of a stack must match */
};

/* Counts are samples. */
struct query_row {
	u32 depth; /* depth in a tree, 0 at the root */
	u64 self, total;
	u64 of_origin[N_ORIGINS]; /* the parts of self, one for each origin of the leaf */
	const char *name; /* as in the profile; escape before printing */
	const char *where; /* NULL: the group has only a name */
};

struct query_result {
	struct query_row *rows; /* in a tree, each parent is followed by its children, the largest
				 * child first */
	u32 n;
	u64 samples; /* number of samples that the query selects */
	struct groups *groups; /* owns the texts of the rows */
};
