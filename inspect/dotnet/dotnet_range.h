/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Range sections, each of which is memory with code of one kind. */

#include "dotnet_runtime.h"

enum dotnet_section_kind { DOTNET_SECTION_HEAP, DOTNET_SECTION_STUBS, DOTNET_SECTION_R2R };

struct dotnet_section {
	enum dotnet_section_kind kind;
	u64 start_addr, end_addr;
	u64 heap; /* address of CodeHeapListNode (heap), range list (stubs) or Module (R2R) */
};

/*
 * Finds the section at @pc. Returns 0, -ENOENT, -ELOOP (an endless list) or the errno of reading.
 */
int dotnet_section_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_section *s);

/*
 * Visits all sections; it may visit a section more than once. Stops where the index is unreadable;
 * returns the last result of @fn if it is not 0, else 0 or -ELOOP.
 */
int dotnet_sections_each(struct dotnet_runtime *rt,
			 int (*fn)(const struct dotnet_section *s, void *data), void *data);
