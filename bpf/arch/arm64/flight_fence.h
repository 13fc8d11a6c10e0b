/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * An atomic addition whose result is used is a full barrier: LDADDAL, or DMB ISH behind it
 * (arch/arm64/net/bpf_jit_comp.c in v6.12). Without a use clang makes one without order of
 * it. The kernel has it from 5.12 on.
 */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	u64 before = __sync_fetch_and_add(&r->fence, 1);

	asm volatile("" : : "r"(before) : "memory");
}
