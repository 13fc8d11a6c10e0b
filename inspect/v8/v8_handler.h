/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Where a bytecode handler has the offset of its bytecode (x86-64).
 *
 * Handlers are entered by a jump with the offset in r9, and leave by one with the next
 * bytecode's (v8/src/codegen/x64/register-x64.h at 12.4.254; the same from 8.4 to 14.6). In
 * between a handler may keep it where it likes, and the slot in the function's frame has an
 * older one until the handler calls something. So its instructions are followed.
 */

#include <stdint.h>

#include "../../core/uw_frame.h"
#include "../../core/v8/v8_info.h"

#define V8_ABSENT INT8_MAX

/* Each of these may have it, and so much more; or V8_ABSENT. */
struct v8_place {
	bool in_slot; /* the slot of the function's frame, be it the offset of its prefix */
	s8 in_register; /* r9 */
	s8 saved[V8_SAVED_WORDS]; /* words of the handler's own frame, from V8_SAVED_SLOT on */
};

/**
 * v8_handler_places() - where the offset is at each instruction of a handler
 * @code:	the handler's instructions
 * @len:	their bytes
 * @slot_off:	the slot is so many bytes below the function's fp
 * @places:	set: @len of them, the same for each byte of an instruction
 *
 * Where the next bytecode's offset is in r9 already and this one's can't be had from it (a jump
 * was taken), r9 counts. Takes about 1 us an instruction.
 *
 * Return: 0, -ENOMEM or -ENOTSUP.
 */
int v8_handler_places(const u8 *code, u32 len, u32 slot_off, struct v8_place *places);
