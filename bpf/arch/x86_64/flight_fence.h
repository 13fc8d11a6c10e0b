/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* Stores are seen in their order: only the compiler is to be held back. */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
	asm volatile("" : : : "memory");
}
