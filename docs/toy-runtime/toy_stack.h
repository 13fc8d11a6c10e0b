/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Stacks of Toy. In the product, this file would be fixtures/stacks/toy.h. Native code calls
 * `outer`, which calls `inner`. All addresses are defined in fixtures/stacks/layout.h.
 *
 *	S(0)  a local of inner		S(1)  inner's record -> S(3), returns into outer
 *					S(3)  outer's record -> S(5), returns into the program
 *					S(5)  main's record, returns into the C library
 */

#include "../../fixtures/stacks/layout.h"
#include "toy.h"

#define TOY_TABLE_ADDR PROMISES_ADDR

#define INNER 0x72656e6e69ull /* "inner" */
#define OUTER 0x726574756full /* "outer" */

static const u64 toy_table[] = {
	2,	    JIT(0x100), JIT(0x140), INNER, 0,
	JIT(0x200), JIT(0x234), OUTER,	    0, /* outer ends with its call of inner */
};

static const u64 toy_words[] = { 7, S(3), JIT(0x234), S(5), APP(0x310), 1, LIBC(0x128) };
static const struct uw_frame toy_frames[] = {
	{ .pc = JIT(0x110), .kind = UW_TOY },
	{ .pc = JIT(0x234), .kind = UW_TOY, .flags = RA },
	IN_APP(0x310, RA),
	IN_LIBC(0x128, RA),
};

static const u64 toy_low_words[] = { 7, 7, 7, 7 };
static const struct uw_frame toy_low_frames[] = { { .pc = JIT(0x110), .kind = UW_TOY } };

static const struct stack toy_stacks[] = {
	{ .name = "toy_functions_are_walked_to_the_root",
	  .archs = STACK_BOTH,
	  .regs = { JIT(0x110), S(0), S(1), 0 },
	  STACK_WORDS(toy_words),
	  .objects = toy_table,
	  .n_objects = sizeof(toy_table) / sizeof(*toy_table),
	  .status = UW_END,
	  STACK_FRAMES(toy_frames) },
	{ .name = "toy_record_below_sp_ends_the_walk",
	  .archs = STACK_BOTH,
	  .regs = { JIT(0x110), S(2), S(1), 0 },
	  STACK_WORDS(toy_low_words),
	  .status = UW_E_FP_BELOW_SP,
	  STACK_FRAMES(toy_low_frames) },
};
