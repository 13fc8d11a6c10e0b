/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The capturing program also sends this log for each sample: the registers from which the walk
 * starts, and every read of the walk with the bytes read. Wire format.
 *
 *	struct uw_log  | struct uw_log_read | bytes, padded to 8 | struct uw_log_read | ...
 *
 * In this log, a failed read has no bytes. The log of a sample is sent before the sample, on a
 * separate ring; the log's cpu and time_ns are equal to the sample's.
 */

#include "../core/types.h"

#include <arch_regs.h>

#define UW_LOG_LEN (1u << 18) /* limit in bytes of the log of one sample; a power of two */
#define UW_LOG_MAX_READ 4096 /* limit for the verifier; the walk reads at most 1 KiB at once */

struct uw_log_read {
	u64 addr;
	u32 len;
	s32 result; /* 0 or -14 */
};
_Static_assert(sizeof(struct uw_log_read) == 16, "wire");
_Static_assert(offsetof(struct uw_log_read, result) == 12, "wire");

struct uw_log {
	u64 time_ns;
	u32 cpu;
	u32 len; /* length in bytes of the reads that follow */
	u32 n_reads;
	u32 n_dropped; /* number of reads that did not fit into the log; 0 if it is complete */
	struct arch_pt_regs regs; /* user registers at the start of the walk */
};
_Static_assert(sizeof(struct uw_log) == 24 + sizeof(struct arch_pt_regs), "wire");
