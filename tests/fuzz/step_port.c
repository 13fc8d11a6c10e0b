// SPDX-License-Identifier: BSD-2-Clause

/* The functions that port/port_impl.h declares, implemented by the port for native builds. */

#include "../../sim/port/tables.h"

const struct sim_target *fuzz_port_target;

/* If a sanitizer is used, its memcpy() and memset() check @dst. */
long fuzz_port_read(void *dst, u32 len, u64 addr)
{
	return sim_mem_read(fuzz_port_target->mem, dst, len, addr);
}

const struct uw_mapping *fuzz_port_mapping(u64 extent, u64 pc)
{
	return sim_find_mapping(fuzz_port_target, extent, pc);
}

const struct uw_rule *fuzz_port_row(u32 module, u64 file_off)
{
	return sim_find_rule(fuzz_port_target, module, file_off);
}

const struct dotnet_await *fuzz_port_await(u64 of, u64 key)
{
	return sim_find_await(fuzz_port_target, of, key);
}

const struct v8_info *fuzz_port_v8(u32 info_idx)
{
	return sim_find_v8(fuzz_port_target, info_idx);
}
