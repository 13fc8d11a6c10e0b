/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Labels of threads. Private to loader/query.
 *
 *	main thread            its tid is the pid
 *	worker 2               runs JavaScript; workers are numbered in the order of their tids
 *	worker 3 resize        the same, with a name of its own
 *	V8Worker               its last name
 */

#include "../profile/data.h"

struct threads {
	char **labels; /* index: thread; escape before printing */
	u32 n;
	u32 *of_cell;
};

/* The caller calls threads_deinit(), even on failure. Returns 0, -ENOMEM or -ENOSPC. */
int threads_init(const struct prof_data *d, struct threads *t);
void threads_deinit(struct threads *t);
