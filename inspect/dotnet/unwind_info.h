/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * How a function's prologue changes sp and saves registers, on x86-64: Windows'
 * UNWIND_INFO, which every function of CoreCLR has, with or without a frame pointer.
 */

#include "../target/target.h"

/* Registers as Windows numbers them: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
enum { UNWIND_RSP = 4, UNWIND_RBP = 5 };

enum unwind_op {
	UNWIND_PUSH, /* reg = *sp; sp += 8 */
	UNWIND_ALLOC, /* sp += value */
	UNWIND_SET_FP, /* sp = reg - value */
	UNWIND_SAVE, /* reg = *(sp + value), sp as it is after the prologue */
};

struct unwind_code {
	u8 prologue_off; /* of the instruction's end: undone if the pc is at or behind it */
	u8 op;
	u8 reg;
	u32 value;
};

#define UNWIND_MAX_CODES 64

/* In the order in which they are undone. */
struct unwind_info {
	u8 prologue_len;
	u8 n_codes;
	struct unwind_code codes[UNWIND_MAX_CODES];
};

/**
 * unwind_info_read() - read one UNWIND_INFO
 * @addr:	of its first byte
 * @info:	filled on success; saves of xmm registers are left out
 *
 * Return: 0, -ENOTSUP (chained, another version, an operation that the runtime does not
 * use), -EINVAL (crafted) or what reading gave.
 */
int unwind_info_read(struct target *t, u64 addr, struct unwind_info *info);
