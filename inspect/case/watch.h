/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Records the reads of a target that are made for names, for a case. */

#include "../target/target.h"
#include "pages.h"

struct case_watch {
	struct pages *pages;
	bool raw; /* keep the text of sources, too */
	int err; /* the first error of entering bytes */
};

/* Enters every read of @memory from now on, until its on_read is NULL again. */
void case_watch_begin(struct case_watch *w, struct target *memory);

/* Return: 0 or a negative errno: some bytes were not entered. */
int case_watch_end(const struct case_watch *w, struct target *memory);
