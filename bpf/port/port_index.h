/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The index mask. port_index() is in a separate file, because tests that compile the programs for
 * the host replace its inline assembly.
 */

#include "../../core/types.h"

/*
 * The masking is in inline assembly, because the verifier needs it and clang would optimize it
 * away.
 */
UW_INLINE u64 port_index(u64 n, u64 mask)
{
	asm volatile("%0 &= %1" : "+r"(n) : "i"(mask));
	return n;
}
