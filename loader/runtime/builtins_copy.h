/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Copies of V8's embedded builtins in anonymous memory.
 *
 * Code calls a builtin in fewer bytes where it is in reach, so an isolate whose code lies too far
 * from the binary gets builtins of its own (--short-builtin-calls). V8 11.3 maps the file once
 * more; V8 10.2 copies the bytes to the end of what it has reserved for code:
 *
 *	reserved           |- JIT -|- JIT -| ...          |- builtins -|    |
 *	aligned to 256 KiB                                ^            ^ the next page
 *
 * CodeRange::RemapEmbeddedBuiltins() in v8/src/heap/code-range.cc at 10.2.154. What tells a copy is
 * its length and its bytes. It then counts as a mapping of the file, as later versions make it.
 */

#include "../life/process.h"

/* Where the builtins are in their file. */
struct builtins_file {
	u32 module; /* as the process's mappings of it have it */
	int fd; /* borrowed; negative: it can't be read, and no copy is told */
	u64 off, len; /* len 0: not known */
};

/**
 * builtins_copy_take() - make a copy a mapping of the file, if it is one
 * @p:		its mappings are changed
 * @start_addr, @len: what was mapped without a file, in bytes
 *
 * Reads up to 64 KiB of the process and of the file, and only if the length is right. What can't
 * be read, and what there is no memory for, stays what it was.
 */
void builtins_copy_take(struct process *p, const struct builtins_file *f, u64 start_addr, u64 len);

/* Asks /proc for all copies that the process has now. */
void builtins_copy_find(struct process *p, const struct builtins_file *f);
