/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The index mask, in a file of its own: it is the only assembly in the programs, so tests that
 * compile them for the host replace this file.
 */

#include "../../core/types.h"

/* In inline assembly: clang would optimize the mask away, and the verifier lose the bound. */
UW_INLINE u64 port_index(u64 n, u64 mask)
{
	asm volatile("%0 &= %1" : "+r"(n) : "i"(mask));
	return n;
}
