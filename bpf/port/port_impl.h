/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* The port in the kernel: helpers for memory, the tables in .bss for the rest. */

#include "../bpf.h"

#include <port_index.h>

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return bpf_probe_read_user(dst, len, (const void *)addr);
}

/**
 * uw_mapping_search() - index of the last mapping that starts at or below pc
 * @first:	first mapping of the process in the pool
 * @n:		how many it has, at least 1
 * @pc:		user address
 *
 * A function of its own, of scalars, so that the verifier walks it once. No
 * branch depends on the data, since each would double what the verifier walks: sign
 * bits become masks.
 */
__attribute__((noinline)) u32 uw_mapping_search(u32 first, u32 n, u64 pc)
{
	u32 step = UW_MAX_MAPPINGS / 2, at = 0;

	for (int i = 0; i < 16; i++) {
		u64 probe = port_index(first + at + step, UW_MAX_MAPPINGS - 1);
		u64 below = (u64)at + step - n; /* negative: within the process's mappings */
		u64 after = pc - uw_mappings[probe].start_addr; /* negative: starts after pc */

		asm volatile("" : "+r"(below), "+r"(after)); /* clang would branch */
		at += step & (u32)((s64)(below & ~after) >> 63);
		step >>= 1;
	}
	return first + at;
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	u32 first = (u32)(u->extent >> 32), n = (u32)u->extent;
	const struct uw_mapping *m;

	if (!n)
		return NULL;
	m = &uw_mappings[port_index(uw_mapping_search(first, n, pc), UW_MAX_MAPPINGS - 1)];
	return pc >= m->start_addr && pc < m->end_addr ? m : NULL;
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	const struct v8_info *info = &uw_v8_builds[port_index(info_idx, UW_MAX_V8_BUILDS - 1)];

	return info->shared_off ? info : NULL;
}

/* Nobody listens. */
UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value)
{
	(void)u;
	(void)note;
	(void)value;
}
