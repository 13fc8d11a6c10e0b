/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A function that counts its argument down: u64 f(u64 n). See ../x86_64/emit.h. */

#include "../../../../core/types.h"

static const u8 emit_spin[] = {
	0xfd, 0x7b, 0xbf, 0xa9, /* stp x29, x30, [sp, #-16]! */
	0xfd, 0x03, 0x00, 0x91, /* mov x29, sp */
	0xe1, 0x03, 0x00, 0xaa, /* mov x1, x0 */
	0x21, 0x04, 0x00, 0xf1, /* 12: subs x1, x1, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne 12 */
	0xfd, 0x7b, 0xc1, 0xa8, /* 20: ldp x29, x30, [sp], #16 */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};

#define EMIT_LOOP_OFF 12
#define EMIT_RET_OFF 20
