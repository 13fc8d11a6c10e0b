/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * What the capturing program tells beside a sample: the registers it started from,
 * and every read of the walk with the bytes that it got. Wire format.
 *
 *	struct uw_log  | struct uw_log_read | bytes, padded to 8 | struct uw_log_read | ...
 *
 * A read that failed has no bytes. The log of a sample goes out before the sample, on a
 * ring of its own; cpu and time_ns are those of the sample.
 */

#include "../core/types.h"

#include <arch_regs.h>

#define UW_LOG_LEN (1u << 18) /* of the reads; a power of two */
#define UW_LOG_MAX_READ 4096 /* what the verifier knows of a length; the longest is 1 KiB */

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
	u32 len; /* of the reads that follow */
	u32 n_reads;
	u32 n_dropped; /* reads without room: the log is no good */
	struct arch_pt_regs regs; /* of the user, where the walk starts */
};
_Static_assert(sizeof(struct uw_log) == 24 + sizeof(struct arch_pt_regs), "wire");
