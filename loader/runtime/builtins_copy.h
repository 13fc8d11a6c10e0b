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
 * CodeRange::RemapEmbeddedBuiltins() in v8/src/heap/code-range.cc at 10.2.154. A copy is known by
 * its length and its bytes. It then counts as a mapping of the file, as later versions make it.
 */

#include "../../core/types.h"

/* Where the builtins are in their file. */
struct builtins_file {
	int fd; /* borrowed; negative: it can't be read, and no copy is known */
	u64 off, len; /* len 0: not known */
};

/**
 * builtins_copy_is() - is memory of a process a copy of a file's builtins?
 * @start_addr, @len: anonymous, in bytes
 *
 * Reads up to 64 KiB of the process and of the file, and only if the length is right. What can't
 * be read is none.
 */
bool builtins_copy_is(u32 pid, const struct builtins_file *f, u64 start_addr, u64 len);
