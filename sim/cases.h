/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds cases in folders and loads them, whatever they are made from. */

#include "case.h"
#include "error.h"

/* A kind of case: a row of the table in cases.c. */
struct sim_case_kind {
	const char *suffix;
	/* -ENOTSUP: the case says nothing of this architecture. */
	int (*load)(const char *path, const struct sim_arch *arch, struct sim_case **out,
		    struct sim_error *error);
	void (*free)(struct sim_case **c);
};

struct sim_paths {
	char **at; /* sorted within each folder */
	u32 n;
};

/**
 * sim_paths_add() - add a case, or all the cases below a folder
 * @path:	a file is taken whatever its suffix; in folders unknown ones are passed over
 * @error:	which path is wrong
 *
 * Symbolic links are not followed within folders.
 *
 * Return: 0 or a negative errno (-ENOENT also for a folder without cases, -E2BIG for
 * more than 100,000 cases or 16 levels).
 */
int sim_paths_add(struct sim_paths *paths, const char *path, struct sim_error *error);
void sim_paths_deinit(struct sim_paths *paths);

/**
 * sim_case_kind_of() - who can load a file
 *
 * Return: by the suffix of @path, or NULL.
 */
const struct sim_case_kind *sim_case_kind_of(const char *path);
