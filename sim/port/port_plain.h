/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Of ports outside the kernel: no verifier wants a proof, and nobody listens to decisions. */

UW_INLINE u64 port_index(u64 n, u64 mask)
{
	return n & mask;
}

UW_INLINE void port_note(const struct uw_state *u, enum uw_note note, u64 value)
{
	(void)u;
	(void)note;
	(void)value;
}
