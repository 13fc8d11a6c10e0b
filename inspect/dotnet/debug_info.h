/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which IL instruction a place of compiled code belongs to, as the JIT told it the runtime. */

#include "../target/target.h"

/* How a version packs it. */
struct debug_info_layout {
	bool is_bit_packed; /* .NET 10; else nibbles */
	bool lacks_flags; /* precompiled code has no byte of flags before it */
	u8 patchpoints_len, patchpoints_n; /* PatchpointInfo: its size, offset of its count */
};

/**
 * debug_info_find() - the IL offset at an offset in a method's code
 * @addr:	of the debug information (RealCodeHeader's first word)
 * @native_off:	from the method's first byte (of a return address: minus one)
 * @il:		of the last point at or before it that has one; in the prologue of a funclet of
 *		its first point, in that of the body 0
 *
 * Return: 0, -ENOENT (no IL belongs to it), -EINVAL (crafted) or what reading gave.
 */
int debug_info_find(const struct debug_info_layout *l, struct target *t, u64 addr, u32 native_off,
		    u32 *il);

/**
 * debug_info_home() - where unoptimized code that can be replaced on the stack keeps `this`
 * @addr:	of the debug information
 * @off:	from the frame pointer
 *
 * Return: 0, -ENOENT (it can't be replaced, or has no locals), -EINVAL (crafted) or what reading
 * gave.
 */
int debug_info_home(const struct debug_info_layout *l, struct target *t, u64 addr, s32 *off);
