/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Adds up a profile's samples by function (query/functions.h).
 *
 *	self    samples with the function as the leaf
 *	total   samples with the function anywhere, however often it is in there
 *	line    without a known start: the line with the most of self, then of total
 */

#include "../profile/data.h"

struct report_function {
	char *name, *where; /* as in the profile: to be escaped */
	bool has_line; /* where is a file without the function's start */
	u32 line; /* 0: unknown */
	u64 self, total;
};

struct report_functions {
	struct report_function *functions; /* most of self first, then of total */
	u32 n;
};

/* 0, -ENOMEM, or -ENOSPC when there are too many. Free with report_functions_deinit(). */
int report_functions_from_data(const struct prof_data *d, struct report_functions *functions);
void report_functions_deinit(struct report_functions *f);
