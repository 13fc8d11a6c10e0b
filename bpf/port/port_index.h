/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The index mask. It has a file of its own because tests that compile the programs for the host
 * replace its inline assembly.
 */

#include "../../core/types.h"

/* In inline assembly, because clang would optimize the mask away, and the verifier needs it. */
UW_INLINE u64 port_index(u64 n, u64 mask)
{
	asm volatile("%0 &= %1" : "+r"(n) : "i"(mask));
	return n;
}
