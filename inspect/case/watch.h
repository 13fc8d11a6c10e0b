/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What is read of a target for names, kept for a case. */

#include "../target/target.h"
#include "pages.h"

struct case_watch {
	struct pages *pages;
	bool raw; /* keep the text of sources, too */
	int err; /* what keeping gave, once something went wrong */
};

/* Every read of @memory is entered from now on, until its on_read is NULL again. */
void case_watch_begin(struct case_watch *w, struct target *memory);

/* Return: 0 or a negative errno: something was not kept. */
int case_watch_end(const struct case_watch *w, struct target *memory);
