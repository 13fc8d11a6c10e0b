/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A list of mappings in the making, sorted by address. */

#include "../../core/uw_mapping.h"

struct map_list {
	struct uw_mapping *v;
	u32 n, cap;
};

/* Appends; leaves out what is empty or in the kernel's half. 0 or -ENOMEM. */
int map_list_push(struct map_list *l, const struct uw_mapping *m);

/**
 * map_list_overlay() - lay ranges of runtime code over mappings
 * @l:		replaced by the result on success
 * @over:	sorted, not overlapping. Each replaces what it covers, but UW_MAP_DOTNET_R2R: of
 *		such a range what is mapped stays what it is, and only changes its kind.
 *
 * Return: 0 or -ENOMEM.
 */
int map_list_overlay(struct map_list *l, const struct uw_mapping *over, u32 n);
