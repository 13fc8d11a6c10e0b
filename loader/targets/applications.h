/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the processes that -p NAME means. If the executable, script, assembly or npm package of
 * some process has exactly this name, only such processes are found; otherwise, processes are
 * found if the name is a part of one of these names.
 *
 * Two processes belong to one application if one is an ancestor of the other, or if they
 * have the same parent and the parent executes the same program, like the workers of
 * node:cluster or of pm2.
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
