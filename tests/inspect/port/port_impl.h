/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The core's port in a test: one target, one table of mappings, one V8 build. The
 * walk is the same code as in the kernel; it reads memory through struct target.
 */

#include <string.h>

#include "../../../inspect/target/target.h"
#include "../../../sim/port/port_plain.h"

struct port_world {
	struct target *target;
	const struct uw_mapping *mappings; /* sorted */
	size_t n_mappings;
	const struct v8_info *info;
	/* NULL: there are no unwind rows */
	const struct uw_rule *(*row)(void *rows, u32 module, u64 file_off);
	void *rows;
};

extern struct port_world port_world;

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return target_read(port_world.target, addr, dst, len) ? -14 : 0;
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	(void)u;
	for (size_t i = 0; i < port_world.n_mappings; i++)
		if (pc >= port_world.mappings[i].start_addr && pc < port_world.mappings[i].end_addr)
			return &port_world.mappings[i];
	return NULL;
}

UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	(void)u;
	return port_world.row ? port_world.row(port_world.rows, module, file_off) : NULL;
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	(void)info_idx;
	return port_world.info;
}

UW_INLINE bool port_wants_async(void)
{
	return false;
}

UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	(void)u;
	(void)key;
	return NULL;
}
