/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Unicorn's mappings of a case's memory, each a range of pages with the same protection. */

#include <unicorn/unicorn.h>

#include "../mem/image.h"

/*
 * Maximum number of mappings; no process of interest has more. Unicorn's time for mapping grows
 * faster than linearly.
 */
#define CPU_MAX_WINDOWS 256

struct cpu_window {
	u64 addr, len;
	u8 *bytes;
	u8 prot; /* enum sim_page_flags: SIM_READ ... */
};

struct cpu_windows {
	struct cpu_window at[CPU_MAX_WINDOWS];
	u32 n;
	u32 last_idx; /* index of the mapping that was found last; the next search tries it first */
};

/* Lists the image's mapped pages. Return: 0 or -E2BIG. */
int cpu_windows_list(struct sim_mem *mem, struct cpu_windows *w);

/* Maps all ranges into @uc. Return: 0, or -ENOTSUP if Unicorn can't map them. */
int cpu_windows_map(const struct cpu_windows *w, uc_engine *uc);

#define CPU_CODE_LEN 16 /* length of the longest instruction */

/*
 * Gets up to CPU_CODE_LEN bytes of code at @addr, which suffice for any instruction. @out points to
 * the bytes in the case's memory, or in @room if they are in two ranges. Returns the number of
 * bytes; 0: @addr is not mapped.
 */
u32 cpu_windows_code(struct cpu_windows *w, u64 addr, u8 room[CPU_CODE_LEN], const u8 **out);
