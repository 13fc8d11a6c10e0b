/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Stacks with many frames, for the depth limit and for costs per frame. */

#include "../../fixtures/stacks/layout.h"

#include <string.h>

#define CHAIN_STRIDE 4 /* words: a record and two locals */
#define CHAIN_MAX_WORDS ((UW_MAX_FRAMES + 2) * CHAIN_STRIDE)

/* The words of the chain that was made last. */
static u64 chained[CHAIN_MAX_WORDS];

/**
 * chain() - make a chain of frames; the outermost one is in libc
 * @n:		2 .. UW_MAX_FRAMES + 2
 * @first:	word of the first record
 * @stride:	words from record to record
 *
 * Return: the stack; its last word is the return address in the outermost record.
 */
static inline struct stack chain(u32 n, u32 first, u32 stride)
{
	u32 n_words = first + (n - 2) * stride + 2;
	struct stack stack = { .name = "chain", .archs = STACK_BOTH, .words = chained };

	memset(chained, 0, sizeof(chained));
	for (u32 i = 0; i < n - 1; i++) {
		bool is_last = i == n - 2;

		chained[first + i * stride] = is_last ? 1 : S(first + (i + 1) * stride);
		chained[first + i * stride + 1] = is_last ? LIBC(0x128) : APP(0x200);
	}
	stack.n_words = n_words;
	stack.regs = (struct uw_regs){ APP(0x108), S(first), S(first), 0 };
	return stack;
}
