/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds cases in folders and loads cases of any kind. */

#include "case.h"
#include "error.h"

/* The architectures, in the order in which reports list them. */
#define SIM_N_ARCHS 2
extern const struct sim_arch *const sim_archs[SIM_N_ARCHS];

/* A kind of case, which is an entry of the table in cases.c. */
struct sim_case_kind {
	const char *suffix;
	/*
	 * Loads a case. Return: 0, -ENOTSUP if the case is not for @arch, or another negative
	 * errno.
	 */
	int (*load)(const char *path, const struct sim_arch *arch, struct sim_case **out,
		    struct sim_error *error);
	void (*free)(struct sim_case **c);
	/* Prints a description of the case. @arch: a name, or "all". NULL if the kind has none. */
	int (*show)(const char *path, const char *arch, struct sim_error *error);
};

struct sim_paths {
	char **at; /* paths, sorted within each folder; a case that was added twice is listed only
		    * once */
	u32 n, room;
	void *seen; /* tree of the cases already added */
	u32 n_named; /* number of paths that were passed, including duplicates */
};

/**
 * sim_paths_add() - add a case, or all the cases below a folder
 * @path:	a file, a folder, or a bundled stack: "stack:NAME", "stack:all"
 * @error:	on failure, set to the path that could not be added, and to the reason
 *
 * In folders, symbolic links are not followed, and files that are not cases are skipped.
 *
 * Return: 0 or a negative errno (-ENOENT also for a folder without cases, -EINVAL for an
 * unknown kind of file or one that is not regular, -E2BIG for more than 100,000 cases or
 * 16 levels).
 */
int sim_paths_add(struct sim_paths *paths, const char *path, struct sim_error *error);

/* Adds the bundled stacks of some groups (sim_bundled_group()). Return: 0 or a negative errno. */
int sim_paths_add_groups(struct sim_paths *paths, u32 groups);
void sim_paths_deinit(struct sim_paths *paths);

/* Is this the name of a bundled stack, which has no file? */
bool sim_is_bundled(const char *path);

/**
 * sim_case_kind_of() - determine the kind of a case from the path
 *
 * Return: the kind for the suffix of @path, for the prefix stack:, or for the names core and
 *         core.PID; else NULL.
 */
const struct sim_case_kind *sim_case_kind_of(const char *path);

/**
 * sim_case_load() - load a case of any kind
 * @path:	as passed to sim_paths_add()
 * @out:	freed by sim_case_free(); its names are UTF-8 and safe to print on a terminal
 *
 * Return: as sim_case_kind.load.
 */
int sim_case_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		  struct sim_error *error);

/* Frees a case of any kind; *@c may be NULL. */
void sim_case_free(const char *path, struct sim_case **c);
