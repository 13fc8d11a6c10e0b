/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What lies where in a process: all its mappings, as /proc/PID/maps tells a moment after the walk.
 */

#include "../../inspect/case/case.h"

#define AREAS_MAX 65536

struct area {
	u64 start_addr, end_addr, file_off;
	const char *path; /* of a file, NULL: anonymous or the kernel's */
	u8 prot; /* PF_R, PF_W, PF_X */
	u8 holds; /* enum case_holds */
};

struct areas {
	struct area *v; /* sorted, not overlapping */
	u32 n, room;
};

/**
 * areas_read() - the mappings of a process
 * @sp:		the mapping that it lies in is the stack
 *
 * Return: 0, -ESRCH, -EACCES, -E2BIG, -ENOMEM.
 */
int areas_read(struct areas *a, u32 pid, u64 sp);
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
