/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* x86-64 makes stores visible in program order, so a compiler barrier suffices. */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
	asm volatile("" : : : "memory");
}
