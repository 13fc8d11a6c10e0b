/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A function that counts its argument down: u64 f(u64 n). See ../x86_64/emit.h. */

#include "../../../../core/types.h"

static const u8 emit_spin[] = {
	0xe1, 0x03, 0x00, 0xaa, /* mov x1, x0 */
	0x21, 0x04, 0x00, 0xf1, /* 4: subs x1, x1, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne 4 */
	0xc0, 0x03, 0x5f, 0xd6, /* 12: ret */
};

#define EMIT_LOOP_OFF 4
#define EMIT_RET_OFF 12
