/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The JIT's map from compiled code to IL instructions, as the runtime stores it. */

#include "../target/target.h"

/* The encoding of a version. */
struct debug_info_layout {
	bool is_bit_packed; /* .NET 10; else nibbles */
	bool lacks_flags; /* ReadyToRun code has no byte of flags */
	u8 patchpoints_len, patchpoints_n; /* PatchpointInfo: its size, offset of its count */
};

/**
 * debug_info_find() - find the IL offset for an offset in a method's code
 * @addr:	of the debug information (RealCodeHeader's first word)
 * @native_off:	from the method's first byte (of a return address: minus one)
 * @il:		of the last point at or before it that has one; in the prologue of a funclet
 *		that of its first point, in the method's prologue 0
 *
 * Return: 0, -ENOENT (it has no IL), -EINVAL (crafted) or the errno of reading.
 */
int debug_info_find(const struct debug_info_layout *l, struct target *t, u64 addr, u32 native_off,
		    u32 *il);

/**
 * debug_info_home() - find the home of `this` in unoptimized code that OSR can replace
 * @addr:	of the debug information
 * @off:	from the frame pointer
 *
 * Return: 0, -ENOENT (OSR cannot replace it, or it has no locals), -EINVAL (crafted) or the errno
 * of reading.
 */
int debug_info_home(const struct debug_info_layout *l, struct target *t, u64 addr, s32 *off);
