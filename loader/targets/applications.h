/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the processes that -p NAME means. Processes whose executable, script, assembly or npm
 * package has exactly this name precede those of which it is a part.
 *
 * Processes belong to one application if one is an ancestor of the other, or if their parents are
 * the same process and it executes the same program: the workers of node:cluster, or of pm2.
 */

#include "procs.h"

struct applications {
	struct application {
		struct ids pids; /* matching processes, parents first */
	} * v;
	size_t n;
};

/**
 * applications_find() - find the applications of a name
 * @found:	free with applications_deinit(), also after an error
 *
 * The caller itself never matches.
 *
 * Return: 0, also if no process matches, or a negative errno.
 */
int applications_find(const char *name, struct applications *found);
void applications_deinit(struct applications *found);
