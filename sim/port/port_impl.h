/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The port of native builds. port_read_user() has no context argument, so a thread-local
 * variable holds the target of the thread's walk.
 */

#include "port_plain.h"
#include "tables.h"

extern _Thread_local const struct sim_target *sim_port_target;

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return sim_mem_read(sim_port_target->mem, dst, len, addr);
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	return sim_find_mapping(sim_port_target, u->extent, pc);
}

UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	(void)u;
	return sim_find_rule(sim_port_target, module, file_off);
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	return sim_find_v8(sim_port_target, info_idx);
}

UW_INLINE bool port_wants_async(void)
{
	return true;
}

UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	return sim_find_await(sim_port_target, u->process_key, key);
}
