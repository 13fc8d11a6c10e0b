/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The port in the kernel, with a log of the reads. Only for the conformance program, which
 * walks on one CPU at a time. The caller of that program empties the log.
 */

#define port_read_user port_read_unlogged
#include "../port/port_impl.h"
#undef port_read_user

#define UW_MAX_LOGGED 8192

struct uw_logged_read {
	u64 addr;
	u32 len;
	s32 result;
};

struct uw_logged_read uw_reads[UW_MAX_LOGGED];
u32 uw_n_reads; /* number of reads, including the reads that did not fit into the log */

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	long err = port_read_unlogged(dst, len, addr);
	struct uw_logged_read *read = &uw_reads[port_index(uw_n_reads, UW_MAX_LOGGED - 1)];

	if (uw_n_reads < UW_MAX_LOGGED) {
		read->addr = addr;
		read->len = len;
		read->result = (s32)err;
	}
	uw_n_reads++;
	return err;
}
