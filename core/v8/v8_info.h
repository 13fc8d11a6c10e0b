/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * What the step needs to know of one build of V8. Wire format; made by user
 * space (inspect/v8) from the binary's own metadata.
 *
 * Slots are distances below fp, offsets are from the untagged address.
 */

#include "../types.h"

/* Slots below fp that are the same in every build; see v8.h. */
#define V8_CONTEXT_SLOT 8
#define V8_FUNCTION_SLOT 16
#define V8_SLOTS_LEN 48 /* all slots, in one use of the window */
/* fp + this: the JSFunction that an exit frame of C++ builtins is of; see v8.h. */
#define V8_EXIT_TARGET 24

struct v8_info {
	u16 bytecode_array_slot; /* fp - this: BytecodeArray of an interpreted frame */
	u16 bytecode_offset_slot; /* fp - this: its offset, a SMI */
	u16 shared_off; /* of SharedFunctionInfo in JSFunction */
	u16 exit_marker; /* frame type << 1 of the exit frame of C++ builtins, 0: unknown */
};
_Static_assert(sizeof(struct v8_info) == 8, "wire");
_Static_assert(offsetof(struct v8_info, exit_marker) == 6, "wire");
