/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Code heaps. */

#include "dotnet_runtime.h"

/* A code heap (CodeHeapListNode). */
struct dotnet_heap {
	u64 next, heap, start, end, map_base, header_map;
};

/* Reads a code heap. Returns 0, -EINVAL or the errno of reading. */
int dotnet_heap_read(struct dotnet_runtime *rt, u64 addr, struct dotnet_heap *heap);
