/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Removes names of people, machines and programs from a profile while it is read. Only keys that a
 * table lists are kept; lines and keys of later versions of the format are dropped.
 */

#include "../profile/reader.h"

struct anonymizer;

#define ANONYMIZER_MAX_KEY 1023 /* bytes */

struct anonymizer_options {
	char key[ANONYMIZER_MAX_KEY + 1]; /* empty: a random key */
	bool functions; /* replace the names of functions, too */
};

/* Returns 0, -ENOMEM or the errno of getrandom(). */
int anonymizer_new(struct anonymizer **a, const struct anonymizer_options *options);
void anonymizer_free(struct anonymizer **a);

/* Makes @r anonymize the lines that it reads. @a must outlive @r. NULL: lines are unchanged. */
void anonymizer_attach(struct anonymizer *a, struct prof_reader *r);
