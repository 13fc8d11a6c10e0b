/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes unwind rows for V8's embedded builtins. Builtins have no call frame information, and some
 * of them build no frame, so the rows are derived from the instructions of each builtin. On x86-64
 * there are six kinds of rules:
 *
 *	cfa = sp + n, fp the caller's	no frame (yet, or any more)
 *	cfa = fp + 16			V8's frame, or the function's, which the walk uses instead
 *	ra = a scratch register		the return address is being moved
 *	cfa = a scratch register + 8	the return address is at the sp before a variable allocation
 *	cfa = *sp			sp was aligned, and the old sp is saved there
 *	none				not understood
 *
 * On arm64 there are three kinds: the second of the kinds above, and two others:
 *
 *	cfa = sp + n, ra = lr		no frame; n is 0 if the old sp is unknown: fp leads to
 *					the caller
 *	cfa = sp + n, ra = *(cfa - m)	no frame, and the return address was saved
 */

#include "../unwind/cfi.h"
#include "v8.h"

/**
 * v8_build_rows() - find the rules of a range of the builtins
 * @build:	struct v8_build
 * @f:		the file of @build
 * @start:	link-time address, like @end
 * @fn:		called for each part with a rule; parts may extend beyond the range
 *
 * Takes about 1 ms for 4 KiB, because all builtins that overlap the range are analyzed as a whole.
 *
 * A describe_fn. Return: 0, -ENOMEM or the error of a read. There are no rules for builtins in
 * stripped files or for other machines.
 */
int v8_build_rows(const void *build, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
		  void *data);

/* The machine code of one builtin. */
struct v8_builtin_code {
	const char *name; /* determines how the builtin is entered; NULL: by a call */
	bool is_handler; /* the builtin handles a bytecode */
	const u8 *bytes;
	u32 len;
	u64 addr; /* address of the first byte, for the addresses that are reported */
};

/**
 * v8_builtin_rules() - find the rules of one builtin's code
 * @machine:	EM_...
 * @fn:		called for each part of the code that has a rule
 *
 * Return: 0, -ENOMEM or -ENOTSUP (no disassembler). There are no rules for other machines, or for
 * builtins that are entered neither by a call nor on a known frame.
 */
int v8_builtin_rules(u16 machine, const struct v8_builtin_code *code, rule_fn *fn, void *data);

/*
 * Makes @c use these rules for the builtins of a file; @b must outlive @c. Returns 0 or a negative
 * errno.
 */
int v8_rows_add(struct cfi *c, const struct v8_build *b);
