/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A function that counts its argument down: u64 f(u64 n). See ../arm64/emit.h. */

#include "../../../../core/types.h"

static const u8 emit_spin[] = {
	0x55, /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0x48, 0x89, 0xf8, /* mov %rdi, %rax */
	0x48, 0xff, 0xc8, /* 7: dec %rax */
	0x75, 0xfb, /* jne 7 */
	0x5d, /* 12: pop %rbp */
	0xc3, /* ret */
};

#define EMIT_LOOP_OFF 7
#define EMIT_RET_OFF 12
