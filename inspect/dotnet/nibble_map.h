/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* CoreCLR's nibble map: finds the first byte of a method from an address in it. */

#include "../target/target.h"

struct nibble_map {
	struct target *target;
	u64 map_addr; /* address of the u32 words */
	u64 base_addr; /* address of the first bucket's code */
	u64 code_len; /* number of bytes from base_addr to the end of the code */
	bool is_constant_time; /* the form of .NET 10; false: the linear form of 6 to 9 */
};

/**
 * nibble_map_find() - find the start of the code at an address
 * @pc:		address in [base_addr, base_addr + code_len)
 * @start_addr:	the nearest start at or before @pc; the caller must check whether the method extends
 *		to @pc
 *
 * Reads the map backwards in pieces of 512 bytes until it finds a start, but reads at most the part
 * for 16 MiB of code, and nothing before the beginning of the map.
 *
 * Return: 0, -ENOENT (no code starts at or before @pc), -EINVAL (an impossible map) or the errno of
 * reading.
 */
int nibble_map_find(const struct nibble_map *m, u64 pc, u64 *start_addr);
