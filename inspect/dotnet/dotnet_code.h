/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Heaps of code. */

#include "dotnet_runtime.h"

/* What a code heap says of itself (CodeHeapListNode). */
struct dotnet_heap {
	u64 next, heap, start, end, map_base, header_map;
};

/* 0, -EINVAL or what reading gave. */
int dotnet_heap_read(struct dotnet_runtime *rt, u64 addr, struct dotnet_heap *heap);
