/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unwind rows of V8's embedded builtins. Nobody describes them, and a part of
 * them builds no frame: they are followed by their instructions, one builtin at a time.
 * The rules are of six kinds on x86-64:
 *
 *	cfa = sp + n, fp the caller's	no frame (yet, or any more)
 *	cfa = fp + 16			V8's frame, or the walk takes the function's for it
 *	ra = a scratch register		the return address is on its way to another place
 *	cfa = a scratch register + 8	it stays where sp was before room was made
 *	cfa = *sp			sp was aligned, and is kept there
 *	none				not understood: the walk does what it can without
 *
 * and on arm64 of the second, and these:
 *
 *	cfa = sp + n, ra = lr		no frame; where sp was may not be known, and n is 0 then:
 *					fp leads on
 *	cfa = sp + n, ra = *(cfa - m)	no frame, and the return address was saved
 */

#include "../unwind/cfi.h"
#include "v8.h"

/**
 * v8_build_rows() - the rules of a range of the builtins
 * @build:	struct v8_build
 * @f:		the file that @build was made of
 * @start:	link-time address, as @end
 * @fn:		called for each part of the range that has a rule; it may reach over the edges
 *
 * Takes about 1 ms for 4 KiB: the builtins that reach into the range are followed whole.
 *
 * A describe_fn. Return: 0, -ENOMEM or what reading gave. Builtins of stripped files and of
 * other machines have no rules.
 */
int v8_build_rows(const void *build, struct elf_file *f, u64 start, u64 end, rule_fn *fn,
		  void *data);

/* Has the builtins of a file described so; @b must outlive @c. 0 or an errno. */
int v8_rows_add(struct cfi *c, const struct v8_build *b);
