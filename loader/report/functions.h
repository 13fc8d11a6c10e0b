/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Adds up a profile's samples by function. A function is its name and its file
 * (without one: its module, or its kind): the frames of all its lines, tiers and
 * processes. Anonymous functions of one file are one, as a profile does not say
 * where a function starts.
 *
 *	self    samples with the function as the leaf
 *	total   samples with the function anywhere, however often it is in there
 *	line    the line with the most of self, then of total, then the first
 */

#include "../profile/data.h"

struct report_function {
	char *name, *where; /* as in the profile: to be escaped */
	bool has_line; /* where is a file */
	u32 line; /* 0: unknown */
	u64 self, total;
};

struct report_functions {
	struct report_function *functions; /* most of self first, then of total */
	u32 n;
};

/* 0, -ENOMEM, or -ENOSPC when there are too many. Free with functions_deinit(). */
int functions_from_data(const struct prof_data *d, struct report_functions *functions);
void functions_deinit(struct report_functions *f);
