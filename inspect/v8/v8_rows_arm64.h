/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Unwind rows of one builtin of arm64, for v8_rows.c. */

#include "../unwind/rules.h"

/* cfa = fp + 16: V8's frame record is there, on both architectures. */
extern const struct uw_rule v8_rule_framed;

/**
 * v8_rows_arm64() - the rules of one builtin
 * @bytes:	its instructions, @len bytes at the link-time address @addr
 * @is_framed_first: it begins on the frame of the function that it works for
 * @fn:		called for each instruction that has a rule
 *
 * Return: 0 or -ENOMEM.
 */
int v8_rows_arm64(const u8 *bytes, u32 len, u64 addr, bool is_framed_first, rule_fn *fn,
		  void *data);
