/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Windows' UNWIND_INFO, which describes how a function's prologue changes sp and saves
 * registers on x86-64. Every function of CoreCLR has one, with or without a frame pointer.
 */

#include "../target/target.h"

/* Windows' register numbers: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
enum { UNWIND_RSP = 4, UNWIND_RBP = 5 };

enum unwind_op {
	UNWIND_PUSH, /* reg = *sp; sp += 8 */
	UNWIND_ALLOC, /* sp += value */
	UNWIND_SET_FP, /* sp = reg - value */
	UNWIND_SAVE, /* reg = *(sp + value), where sp has its value after the prologue */
};

struct unwind_code {
	u8 prologue_off; /* end of the instruction; it is undone if the pc is not below this end */
	u8 op;
	u8 reg;
	u32 value;
};

#define UNWIND_MAX_CODES 64

/* The operations, in the order in which they are undone. */
struct unwind_info {
	u8 prologue_len;
	u8 n_codes;
	struct unwind_code codes[UNWIND_MAX_CODES];
};

/**
 * unwind_info_read() - read one UNWIND_INFO
 * @addr:	address of its first byte
 * @info:	filled on success; saves of xmm registers are omitted
 *
 * Return: 0, -ENOTSUP (chained, another version, an operation that the runtime does not
 * use), -EINVAL (crafted) or the errno of reading.
 */
int unwind_info_read(struct target *t, u64 addr, struct unwind_info *info);
