/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Common part of ports outside the kernel, where no verifier needs bounded indices, and decisions
 * are ignored.
 */

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
