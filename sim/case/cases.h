/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds cases in folders and loads them, whatever they are made from. */

#include "case.h"
#include "error.h"

/* The architectures, in the order of reports. */
#define SIM_N_ARCHS 2
extern const struct sim_arch *const sim_archs[SIM_N_ARCHS];

/* A kind of case: a row of the table in cases.c. */
struct sim_case_kind {
	const char *suffix;
	/* -ENOTSUP: the case says nothing of this architecture. */
	int (*load)(const char *path, const struct sim_arch *arch, struct sim_case **out,
		    struct sim_error *error);
	void (*free)(struct sim_case **c);
	/* Prints it for people; NULL: nothing to be said. @arch: a name, or "all". */
	int (*show)(const char *path, const char *arch, struct sim_error *error);
};

struct sim_paths {
	char **at; /* sorted within each folder; a case that is named twice is there once */
	u32 n, room;
	void *seen; /* a tree: which cases these are */
	u32 n_named; /* counts a case each time */
};

/**
 * sim_paths_add() - add a case, or all the cases below a folder
 * @path:	a file, a folder, or a bundled stack: "stack:NAME", "stack:all"
 * @error:	which path is wrong
 *
 * Within folders symbolic links are not followed and files of no kind are passed over.
 *
 * Return: 0 or a negative errno (-ENOENT also for a folder without cases, -EINVAL for
 * a file of no kind or that is no regular one, -E2BIG for
 * more than 100,000 cases or 16 levels).
 */
int sim_paths_add(struct sim_paths *paths, const char *path, struct sim_error *error);
void sim_paths_deinit(struct sim_paths *paths);

/* Is this the name of a bundled stack? Then there is no file. */
bool sim_is_bundled(const char *path);

/**
 * sim_case_kind_of() - who can load a file
 *
 * Return: by the suffix of @path, or by stack:, or as a core by "core" or "core.PID", or NULL.
 */
const struct sim_case_kind *sim_case_kind_of(const char *path);

/**
 * sim_case_load() - load a case, whatever its kind
 * @path:	as sim_paths_add() took it
 * @out:	ends with sim_case_free(); its names are safe on a terminal, and UTF-8
 *
 * Return: as sim_case_kind.load.
 */
int sim_case_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		  struct sim_error *error);

/* NULL is fine. */
void sim_case_free(const char *path, struct sim_case **c);
