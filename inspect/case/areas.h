/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What lies where in a process: all its mappings. */

#include "case.h"

#define AREAS_MAX 65536

struct area {
	u64 start_addr, end_addr, file_off;
	char *path; /* of a file, NULL: anonymous or the kernel's */
	u8 prot; /* PF_R, PF_W, PF_X */
	u8 holds; /* enum case_holds */
};

struct areas {
	struct area *v; /* sorted, not overlapping */
	u32 n, room;
};

/**
 * areas_add() - one more, above all others
 * @area:	its path is taken over, if it is added
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int areas_add(struct areas *a, const struct area *area);
void areas_deinit(struct areas *a);

/* The one that covers an address, NULL: none. */
const struct area *areas_find(const struct areas *a, u64 addr);

/**
 * areas_files() - those of files, as a case has them
 * @files:	free() it; its paths are the areas'
 *
 * Return: how many, or -ENOMEM.
 */
int areas_files(const struct areas *a, struct case_map_file **files);
