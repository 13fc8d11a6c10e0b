/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Replaces bpf/port/port_index.h, which is BPF assembly. */

UW_INLINE u64 port_index(u64 n, u64 mask)
{
	return n & mask;
}
