/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The JIT's map from compiled code to IL instructions, as the runtime stores it. */

#include "../target/target.h"

/* How a version of .NET encodes the map. */
struct debug_info_layout {
	bool is_bit_packed; /* .NET 10; else nibbles */
	bool lacks_flags; /* the byte of flags is missing, as it always is for ReadyToRun code */
	u8 patchpoints_len, patchpoints_n; /* in PatchpointInfo: length, offset of the count */
};

/**
 * debug_info_find() - find the IL offset for an offset in a method's code
 * @addr:	address of the debug information (RealCodeHeader's first word)
 * @native_off:	offset of the pc from the method's first byte; for a return address, pass that
 *		offset minus one
 * @il:		IL offset of the last point with an IL offset at or before @native_off; in a
 *		funclet's prologue, the IL offset of the funclet's first point; in the method's
 *		prologue, 0
 *
 * Return: 0, -ENOENT (the code has no IL offset), -EINVAL (crafted data) or the errno of reading.
 */
int debug_info_find(const struct debug_info_layout *l, struct target *t, u64 addr, u32 native_off,
		    u32 *il);

/**
 * debug_info_home() - find the stack slot of `this` in unoptimized code that OSR can replace
 * @addr:	address of the debug information
 * @off:	offset of the stack slot from the frame pointer
 *
 * Return: 0, -ENOENT (OSR cannot replace the code, or the method has no locals), -EINVAL (crafted
 * data) or the errno of reading.
 */
int debug_info_home(const struct debug_info_layout *l, struct target *t, u64 addr, s32 *off);
