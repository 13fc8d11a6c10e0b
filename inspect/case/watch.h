/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* While frames are named, adds all bytes that are read from the target to the pages of a case. */

#include "../target/target.h"
#include "pages.h"

struct case_watch {
	struct pages *pages;
	bool raw; /* also keep the text of script sources */
	int err; /* the first error while entering bytes */
};

/* Enters every read of @memory into the pages, until case_watch_end() is called. */
void case_watch_begin(struct case_watch *w, struct target *memory);

/* Ends the watch. Return: 0, or a negative errno if some bytes were not entered. */
int case_watch_end(const struct case_watch *w, struct target *memory);
