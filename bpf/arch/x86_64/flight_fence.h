/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* Stores become visible in program order, so only the compiler has to be restrained. */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
	asm volatile("" : : : "memory");
}
