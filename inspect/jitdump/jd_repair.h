/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes a jitdump without faults, which perf accepts, from a faulty one. Repairs the order of
 * records, the pairing of lines and code, indexes, sizes, padding, V8's addresses and the header.
 * Drops and reports records that cannot be repaired.
 */

#include <stdio.h>

#include "jd_file.h"

struct jd_repair {
	u32 machine; /* EM_*; 0 to use that of the header or, without it, of the unwind data */
	bool resync; /* search for records after unreadable bytes */
	u64 now; /* the current CLOCK_MONOTONIC, as in struct jd_check */
	/* Receives each repair and each dropped record. */
	void (*on_change)(void *data, u64 off, const char *words);
	void *data;
};

struct jd_repaired {
	u64 loads, lines, unwind, moves; /* records in the result */
	u64 dropped; /* dropped records; CLOSE and bytes that are not a record don't count */
};

/**
 * jd_repair_file() - write a repaired file
 * @out:	receives the file, in the byte order of @f
 *
 * Return: 0, -ENOMEM, or the errno of writing.
 */
int jd_repair_file(const struct jd_file *f, const struct jd_repair *how, FILE *out,
		   struct jd_repaired *result);
