/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CoreCLR's stubs where it does not map its code twice (DOTNET_EnableWriteXorExecute=0): write
 * barriers, shuffle thunks and counters of calls lie in anonymous memory, as anybody's JIT may,
 * and no range section tells of them. What tells is where they are: the runtime takes all memory
 * for code from one piece of address space that it reserves when it starts.
 *
 *	reserved                                            at most 2 GiB
 *	|- up to 64 pages -|- stubs -|- images, code heaps, stubs ... -|
 *
 * pal/src/map/virtual.cpp (minipal/Unix/executableallocator.cpp in 10.0): MaxStartPageOffset,
 * MaxExecutableMemorySize, v8.0.33, v9.0.22 and v10.0.14.
 *
 * A code heap is mapped first and made known then, so only memory that could be executed when the
 * runtime was asked before, and that it still does not tell of, holds stubs.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "../../inspect/target/map_list.h"

/* The process's anonymous code when it was looked at last; zeroed before the first time. */
struct anon_stubs {
	struct map_list seen;
};

void anon_stubs_deinit(struct anon_stubs *a);

/**
 * anon_stubs_place() - lay the stubs over the mappings of the process
 * @pid:	as the recorder sees it
 * @v, @n:	as dotnet_ranges_get() gave them, not yet laid over the mappings
 * @l:		sorted by address; replaced by the result on success
 *
 * Return: 0 or -ENOMEM.
 */
int anon_stubs_place(struct anon_stubs *a, u32 pid, const struct dotnet_range *v, u32 n,
		     struct map_list *l);
