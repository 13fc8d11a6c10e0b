/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What case_read() gives, as this folder sees it. Private to inspect/case. */

#include "case_modules.h"

/* Where a range's bytes are that are not in memory. */
struct case_place {
	int fd; /* borrowed; -1: the core itself */
	u64 off;
};

struct case_opened {
	struct case_file c; /* first: what the reader sees */
	struct core core;
	json_t *note; /* texts of c point into it */
	u8 *bytes; /* of all ranges of a case */
	struct case_place *places; /* of a plain core, for each range */
	struct case_modules modules; /* of a plain core */
};

/**
 * case_take_plain() - make a case of a core that is none
 * @o:		its core is open
 * @path:	for @error
 *
 * Return: 0 or a negative errno with @error set.
 */
int case_take_plain(struct case_opened *o, const char *path, struct case_error *error);
