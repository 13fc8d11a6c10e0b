/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The port of native builds, which records all reads and decisions in a flight recorder. */

#include "../../../core/flight_walk.h"
#include "../../port/tables.h"
#include "../trace.h"

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	long err = sim_mem_read(trace_current->target->mem, dst, len, addr);

	if (err)
		trace_fault(trace_current);
	flight_walk_read(dst, len, addr, err);
	return err;
}

UW_INLINE u64 port_index(u64 n, u64 mask)
{
	return n & mask;
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	return sim_find_mapping(trace_current->target, u->extent, pc);
}

UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	(void)u;
	return sim_find_rule(trace_current->target, module, file_off);
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	return sim_find_v8(trace_current->target, info_idx);
}

UW_INLINE bool port_wants_async(void)
{
	return true;
}

UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	return sim_find_await(trace_current->target, u->process_key, key);
}

UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value)
{
	flight_walk_note(u, note, value);
}
