/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A list of mappings under construction, sorted by address. */

#include "../../core/uw_mapping.h"

struct map_list {
	struct uw_mapping *v;
	u32 n, cap;
};

/* Appends a mapping, unless it is empty or in the kernel's half. Return: 0 or -ENOMEM. */
int map_list_push(struct map_list *l, const struct uw_mapping *m);

/**
 * map_list_overlay() - overlay ranges of runtime code on mappings
 * @l:		replaced by the result on success
 * @over:	sorted, not overlapping. A range replaces the mappings under it; but a range of kind
 *		UW_MAP_DOTNET_R2R keeps the mappings and only changes their kind
 *
 * Return: 0 or -ENOMEM.
 */
int map_list_overlay(struct map_list *l, const struct uw_mapping *over, u32 n);
