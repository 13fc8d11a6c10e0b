/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Test tables with one row for each fixture file in a folder and each architecture. */

#include "../../sim/case/stack.h"
#include "../../sim/fixture/load.h"
#include "../check.h"

#include <errno.h>
#include <glob.h>
#include <string.h>

#define MAX_ROWS 256

struct row {
	const char *path;
	const struct sim_arch *arch;
	char name[160];
};

static struct row rows[MAX_ROWS];
static struct CMUnitTest tests[MAX_ROWS];
static u32 n_rows;
static glob_t row_paths;

/* Loads the fixture of a row; NULL if the fixture is not for this architecture. */
static inline struct sim_case *row_load(const struct row *row)
{
	struct sim_error error = { "" };
	struct sim_case *c = NULL;
	int err = sim_text_load(row->path, row->arch, &c, &error);

	if (err && err != -ENOTSUP)
		fail_msg("%s", error.text);
	return c;
}

/* Adds a row for each file whose name contains @wanted; @what is appended to the rows' names. */
static inline void rows_add(const char *wanted, const char *what, void (*test)(void **))
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };

	for (size_t i = 0; i < row_paths.gl_pathc * 2 && n_rows < MAX_ROWS; i++) {
		struct row *row = &rows[n_rows];
		const char *base = strrchr(row_paths.gl_pathv[i / 2], '/') + 1;

		if (!strstr(base, wanted))
			continue;
		*row = (struct row){ .path = row_paths.gl_pathv[i / 2], .arch = archs[i % 2] };
		snprintf(row->name, sizeof(row->name), "%s: %.80s%s", row->arch->name, base, what);
		tests[n_rows++] = (struct CMUnitTest){ .name = row->name,
						       .test_func = test,
						       .initial_state = row };
	}
}

/* Finds the files, including hand-laid stacks. Return: 0 if any exist. */
static inline int rows_find(const char *dir)
{
	char pattern[4096];
	int err;

	snprintf(pattern, sizeof(pattern), "%s/*.yaml", dir);
	err = glob(pattern, 0, NULL, &row_paths);
	if (err)
		return err;
	snprintf(pattern, sizeof(pattern), "%s/laid/*.yaml", dir);
	return glob(pattern, GLOB_APPEND, NULL, &row_paths);
}

static inline int rows_run(const char *group)
{
	int status = check_run(group, tests, n_rows);

	globfree(&row_paths);
	return status || n_rows == MAX_ROWS;
}
