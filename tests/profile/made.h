/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Profiles for tests: written by the writer with names that try to break every format, and files
 * with any content.
 */

#include <stdio.h>

#include "../../loader/profile/profile.h"

/* Possible names in a hostile target. The last is 10 kB, made by made_names(). */
#define MADE_N_NAMES 12
const char *const *made_names(void);

struct made {
	u32 n_processes;
	u32 n_samples;
	bool finished; /* with a summary */
	bool brief; /* without the name of 10 kB: for sweeps over each byte */
};

/* Appends a profile to @out; the same arguments give the same profile. */
void made_write(FILE *out, const struct made *m);

/* The same in memory, followed by a 0; the caller frees it. */
char *made_bytes(const struct made *m, size_t *len);

/* An open file of these bytes, at its start. */
int made_fd(const void *bytes, size_t len);

/* A new file of its own in a new folder; free both with made_remove(). */
char *made_path(const char *name);
void made_remove(char *path);

void made_file(const char *path, const void *bytes, size_t len);

/* The whole file, followed by a 0; the caller frees it. */
char *made_slurp(const char *path, size_t *len);
