/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes a jitdump that perf takes, and that nothing is wrong with, of one that is not.
 * What can be known is mended: order, pairs, numbers, sizes, padding, V8's addresses,
 * the header. What can't is left out, and told.
 */

#include <stdio.h>

#include "jd_file.h"

struct jd_repair {
	u32 machine; /* EM_*; 0: as stated, or else as the unwind data has it */
	bool resync; /* look for records behind what can't be walked */
	u64 now; /* as in struct jd_check */
	/* Told what was left out and what was changed. */
	void (*told)(void *data, u64 off, const char *words);
	void *data;
};

struct jd_repaired {
	u64 loads, lines, unwind, moves; /* records in the result */
	u64 dropped; /* records that are not in it, CLOSE and what is no record not counted */
};

/**
 * jd_repair_file() - write it anew
 * @out:	in the byte order of @f
 *
 * Return: 0, -ENOMEM, or what writing gave.
 */
int jd_repair_file(const struct jd_file *f, const struct jd_repair *how, FILE *out,
		   struct jd_repaired *result);
