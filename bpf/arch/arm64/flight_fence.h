/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * An atomic addition whose result is used is a full barrier: the kernel's JIT emits LDADDAL, or DMB
 * ISH after the addition (arch/arm64/net/bpf_jit_comp.c in v6.12). If its result is not used, clang
 * emits an addition without ordering. BPF has atomic operations since v5.12.
 */
UW_INLINE void flight_fence(struct flight_ring *r)
{
	u64 before = __sync_fetch_and_add(&r->fence, 1);

	asm volatile("" : : "r"(before) : "memory");
}
