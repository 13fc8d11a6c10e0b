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

/* Like made_write(), but in memory, followed by a 0. The caller frees the result. */
char *made_bytes(const struct made *m, size_t *len);

/* An open file of these bytes, at its start. */
int made_fd(const void *bytes, size_t len);

/* A new file in a new folder. Remove both with made_remove(). */
char *made_path(const char *name);
void made_remove(char *path);

void made_file(const char *path, const void *bytes, size_t len);

/* Reads the whole file and appends a 0. The caller frees the result. */
char *made_slurp(const char *path, size_t *len);
