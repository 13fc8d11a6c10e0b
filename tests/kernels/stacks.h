/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Stacks made in this process for the kernel to walk. The expected frames are
 * stored while a stack is made, not computed by the core:
 *
 *	slots[i]                          slots[i + 1]
 *	+-----------------------+----+----+-------- ...
 *	| 48 bytes of V8 slots  | fp | ra |
 *	+-----------------------+----+----+-------- ...
 *	                          |     `- pc of frame i + 1
 *	                          `- &slots[i + 1].fp; 0 in the root's record
 *
 * Kinds of frames alternate: native, V8 stub, JavaScript. Native code has
 * unwind rows for the layout above; the row of the last frame marks this frame
 * as the root.
 */

#include "../../bpf/tables.h"
#include "../../core/uw_state.h"

#define STACKS_TEXT_ADDR 0x10000000ull /* native code, then V8's code, then the root */
#define STACKS_N_MAPPINGS 4

enum damage { SOUND, UNMAPPED_FP, MISALIGNED_FP, FP_GOES_DOWN, WRONG_TRUTH };

struct stack_case {
	const char *name;
	int depth; /* number of frame records, one less than frames */
	enum damage damage; /* damage to the record in the middle */
	enum uw_status status;
	int n_frames; /* number of frames that a walk must find */
};

extern const struct stack_case stack_cases[];
extern const int n_stack_cases;

/* The tables of a BPF object, as in its skeleton. */
struct stack_tables {
	struct uw_mapping *mappings;
	struct uw_row_page *row_pages;
	struct uw_rule *rules;
	struct v8_info *v8_builds;
	int rows_fd; /* map uw_rows */
};

/**
 * stacks_fill() - fill tables with mappings, rows and a V8 build
 * @tables:	tables to fill, from index 0; the mappings' extent is STACKS_N_MAPPINGS
 * @own_pc:	an address in this program, below STACKS_TEXT_ADDR; its page gets rows for frame
 *		records
 *
 * Return: 0 or a negative errno.
 */
int stacks_fill(const struct stack_tables *tables, u64 own_pc);

/**
 * stacks_make() - make the stack of a case, replacing the previous stack
 *
 * Return: the address of the first frame record, or 0 if there is no memory.
 */
u64 stacks_make(const struct stack_case *c);

/**
 * stacks_compare() - compare a sample with the made stack
 * @c:		the case that was made last
 * @sample:	the kernel's result
 * @own_frame:	true if frame 0 is of this program, in place of the stack's first frame
 *
 * Return: NULL if equal, or a name for the difference.
 */
const char *stacks_compare(const struct stack_case *c, const struct uw_sample *sample,
			   bool own_frame);
