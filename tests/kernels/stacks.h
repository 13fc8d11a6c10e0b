/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Stacks made in this process for the kernel to walk. The expected frames are recorded while a
 * stack is made, not computed by the core:
 *
 *	slots[i]                          slots[i + 1]
 *	+-----------------------+----+----+-------- ...
 *	| 48 bytes of V8 slots  | fp | ra |
 *	+-----------------------+----+----+-------- ...
 *	                          |     `- pc of frame i + 1
 *	                          `- &slots[i + 1].fp; of the root: 0
 *
 * Kinds of frames alternate: native, V8 stub, JavaScript. Native code has rows for the layout
 * above; the row of the last frame marks it as the root.
 */

#include "../../bpf/tables.h"
#include "../../core/uw_state.h"

#define STACKS_TEXT_ADDR 0x10000000ull /* native code, V8's and the root, in a row */
#define STACKS_N_MAPPINGS 4

enum damage { SOUND, UNMAPPED_FP, MISALIGNED_FP, FP_GOES_DOWN, WRONG_TRUTH };

struct stack_case {
	const char *name;
	int depth; /* frame records; there is one more frame */
	enum damage damage; /* up to the record in the middle */
	enum uw_status status;
	int n_frames; /* that must be found */
};

extern const struct stack_case stack_cases[];
extern const int n_stack_cases;

/* A BPF object's tables, as its skeleton has them. */
struct stack_tables {
	struct uw_mapping *mappings;
	struct uw_row_page *row_pages;
	struct uw_rule *rules;
	struct v8_info *v8_builds;
	int rows_fd; /* map uw_rows */
};

/**
 * stacks_fill() - mappings, rows and a V8 build
 * @tables:	are filled from their first element on; the mappings' extent is STACKS_N_MAPPINGS
 * @own_pc:	in this program, below STACKS_TEXT_ADDR: its page has frame records, too
 *
 * Return: 0 or a negative errno.
 */
int stacks_fill(const struct stack_tables *tables, u64 own_pc);

/**
 * stacks_make() - make the stack of a case, replacing the last one
 *
 * Return: the first frame record's address, 0: no memory.
 */
u64 stacks_make(const struct stack_case *c);

/**
 * stacks_compare() - compare a sample with the made stack
 * @c:		the case made last
 * @sample:	the kernel's result
 * @own_frame:	frame 0 is this program's, in place of the stack's first
 *
 * Return: NULL, or the name of the difference.
 */
const char *stacks_compare(const struct stack_case *c, const struct uw_sample *sample,
			   bool own_frame);
