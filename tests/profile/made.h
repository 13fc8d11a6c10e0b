/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes profiles for tests: the writer is given names that try to break every format. Also
 * makes files with any content.
 */

#include <stdio.h>

#include "../../loader/profile/profile.h"

/* Names that a hostile target could have. The last one is 10 kB long and made by made_names(). */
#define MADE_N_NAMES 12
const char *const *made_names(void);

struct made {
	u32 n_processes;
	u32 n_samples;
	bool finished; /* with a summary */
	bool brief; /* omit the name of 10 kB, for tests that change or cut every byte */
};

/* Appends a profile to @out; equal arguments give equal profiles. */
void made_write(FILE *out, const struct made *m);

/* Like made_write(), but writes to memory and appends a 0. The caller frees the result. */
char *made_bytes(const struct made *m, size_t *len);

/* Returns an open file that contains these bytes, positioned at its start. */
int made_fd(const void *bytes, size_t len);

/* Returns the path of a new file in a new folder. made_remove() removes both. */
char *made_path(const char *name);
void made_remove(char *path);

void made_file(const char *path, const void *bytes, size_t len);

/* Reads the whole file and appends a 0. The caller frees the result. */
char *made_slurp(const char *path, size_t *len);
