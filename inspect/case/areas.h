/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* All mappings of a process. */

#include "case.h"

#define AREAS_MAX 65536

struct area {
	u64 start_addr, end_addr, file_off;
	char *path; /* NULL for an anonymous or kernel mapping */
	u8 prot; /* PF_R, PF_W, PF_X */
	u8 holds; /* enum case_holds */
};

struct areas {
	struct area *v; /* sorted, not overlapping */
	u32 n, room;
};

/**
 * areas_add() - append an area
 * @area:	its start must not be below the end of the last area; on success @a owns the area's
 *	path
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int areas_add(struct areas *a, const struct area *area);
void areas_deinit(struct areas *a);

/* The area that contains @addr, or NULL. */
const struct area *areas_find(const struct areas *a, u64 addr);

/**
 * areas_files() - list the areas that map files
 * @files:	receives the array, to be freed with free(); @a owns the paths in the array
 *
 * Return: the number of files, or -ENOMEM.
 */
int areas_files(const struct areas *a, struct case_map_file **files);
