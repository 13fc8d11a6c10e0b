/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The index mask, in a file of its own: it is the only assembly that the programs
 * have, so tests that compile them for the host put another one in its place.
 */

#include "../../core/types.h"

/* The mask sits in inline assembly: clang would reduce it away and lose the bound. */
UW_INLINE u64 port_index(u64 n, u64 mask)
{
	asm volatile("%0 &= %1" : "+r"(n) : "i"(mask));
	return n;
}
