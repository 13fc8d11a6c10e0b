/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds CoreCLR's stubs if CoreCLR does not map its code twice (DOTNET_EnableWriteXorExecute=0).
 * If CoreCLR does not, write barriers, shuffle thunks and call counters are in anonymous memory,
 * like the code of any JIT, and no range section contains these stubs. The stubs are found by
 * their addresses: when the runtime starts, it reserves one range of addresses, from which it
 * takes all memory for code.
 *
 *	reserved                                            at most 2 GiB
 *	|- up to 64 pages -|- stubs -|- images, code heaps, stubs ... -|
 *
 * pal/src/map/virtual.cpp (minipal/Unix/executableallocator.cpp in 10.0): MaxStartPageOffset,
 * MaxExecutableMemorySize, v8.0.33, v9.0.22 and v10.0.14.
 *
 * A code heap is mapped before it is added to the runtime's tables. Therefore memory is treated as
 * stubs only if it was already executable at the previous call of anon_stubs_place() and is still
 * in no table.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/target/map_list.h"

/*
 * The anonymous executable memory of the process at the previous call; all zero before the first
 * call.
 */
struct anon_stubs {
	struct map_list seen;
};

void anon_stubs_deinit(struct anon_stubs *a);

/**
 * anon_stubs_place() - add the stubs to the mappings of the process
 * @pid:	as the recorder sees it
 * @v, @n:	from dotnet_ranges_get(); not yet merged into the mappings
 * @l:		sorted by address; replaced by the result on success
 *
 * Return: 0 or -ENOMEM.
 */
int anon_stubs_place(struct anon_stubs *a, u32 pid, const struct dotnet_range *v, u32 n,
		     struct map_list *l);
