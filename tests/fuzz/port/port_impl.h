/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The port of targets that take one step: calls into step_port.c, which has the port of native
 * builds and is compiled without instrumentation. So the core's coverage does not include the
 * search of tables; the targets that walk cover the search.
 */

#include "../../../sim/case/target.h"
#include "../../../sim/port/port_plain.h"

extern const struct sim_target *fuzz_port_target;

long fuzz_port_read(void *dst, u32 len, u64 addr);
const struct uw_mapping *fuzz_port_mapping(u64 extent, u64 pc);
const struct uw_rule *fuzz_port_row(u32 module, u64 file_off);
const struct v8_info *fuzz_port_v8(u32 info_idx);
const struct dotnet_await *fuzz_port_await(u64 of, u64 key);

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return fuzz_port_read(dst, len, addr);
}

UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	return fuzz_port_mapping(u->extent, pc);
}

UW_INLINE const struct uw_rule *port_row(const struct uw_state *u, u32 module, u64 file_off)
{
	(void)u;
	return fuzz_port_row(module, file_off);
}

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	return fuzz_port_v8(info_idx);
}

UW_INLINE bool port_wants_async(void)
{
	return true;
}

UW_INLINE const struct dotnet_await *port_await(const struct uw_state *u, u64 key)
{
	return fuzz_port_await(u->process_key, key);
}
