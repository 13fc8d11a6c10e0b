/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* From an address inside a method to the method's first byte: CoreCLR's nibble map. */

#include "../target/target.h"

struct nibble_map {
	struct target *target;
	u64 map_addr; /* of the u32 words */
	u64 base_addr; /* of the code that the first bucket stands for */
	u64 code_len; /* from base_addr to the end of the code */
	bool is_constant_time; /* the form of .NET 10; else the linear one of 6 to 9 */
};

/**
 * nibble_map_find() - where the code begins that an address lies in
 * @pc:		address in [base_addr, base_addr + code_len)
 * @start_addr:	the nearest start at or before @pc; the caller checks that the method is
 *		long enough to reach it
 *
 * Reads 512 bytes at a time, backwards, for as long as the method is; no more than
 * what 16 MiB of code have, and nothing before the map.
 *
 * Return: 0, -ENOENT (no code starts before it), -EINVAL (such a map there can't be) or
 * what reading gave.
 */
int nibble_map_find(const struct nibble_map *m, u64 pc, u64 *start_addr);
