/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CoreCLR's stubs if it does not map its code twice (DOTNET_EnableWriteXorExecute=0): write
 * barriers, shuffle thunks and call counters lie in anonymous memory, as the code of any JIT may,
 * and no range section contains them. They are found by their addresses: the runtime takes all
 * memory for code from one range of addresses that it reserves when it starts.
 *
 *	reserved                                            at most 2 GiB
 *	|- up to 64 pages -|- stubs -|- images, code heaps, stubs ... -|
 *
 * pal/src/map/virtual.cpp (minipal/Unix/executableallocator.cpp in 10.0): MaxStartPageOffset,
 * MaxExecutableMemorySize, v8.0.33, v9.0.22 and v10.0.14.
 *
 * A code heap is mapped before it is added to the runtime's tables. So memory holds stubs only if
 *it was executable at the last look, and is still in no table.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/target/map_list.h"

/* The process's anonymous code at the last look; zero before the first. */
struct anon_stubs {
	struct map_list seen;
};

void anon_stubs_deinit(struct anon_stubs *a);

/**
 * anon_stubs_place() - lay the stubs over the mappings of the process
 * @pid:	as the recorder sees it
 * @v, @n:	from dotnet_ranges_get(), not yet laid over the mappings
 * @l:		sorted by address; replaced by the result on success
 *
 * Return: 0 or -ENOMEM.
 */
int anon_stubs_place(struct anon_stubs *a, u32 pid, const struct dotnet_range *v, u32 n,
		     struct map_list *l);
