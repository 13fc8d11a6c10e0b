/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * An atomic addition whose result is used is a full barrier: LDADDAL, or DMB ISH after it
 * (arch/arm64/net/bpf_jit_comp.c in v6.12). If the result is unused, clang emits a variant
 * without ordering. The kernel supports atomic operations since 5.12.
 */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	u64 before = __sync_fetch_and_add(&r->fence, 1);

	asm volatile("" : : "r"(before) : "memory");
}
