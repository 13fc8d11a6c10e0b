/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Code recognized by its bytes: code that no entry describes (PLT stubs of lld and on
 * arm64, musl's return from a signal, the vDSO's on arm64), and the entry point of a
 * program without description.
 */

#include "rules.h"

#define CFI_CODE_MARGIN                                                                            \
	128 /* bytes around a page that are needed to recognize code at its edge                   \
	     */

struct cfi_code {
	const u8 *bytes;
	u64 addr; /* link-time address of the first one */
	size_t len;
	u64 text_start, text_end; /* its segment */
	bool is_arm64;

	/* Called for each recognized range, which may reach over the edges. */
	rule_fn *fn;
	void *data;
};

/*
 * The system call that returns from a signal: the layout of its frame does not depend on
 * the libc. @and_before: the range starts one byte earlier, where the walk looks up a
 * return address. False: none.
 */
bool cfi_code_signals(const struct cfi_code *c, bool and_before);

/* Whether there is a system call at @addr. */
bool cfi_code_is_syscall(const struct cfi_code *c, u64 addr);

/* Stubs of the procedure linkage table, and veneers. */
void cfi_code_stubs(const struct cfi_code *c);

/*
 * The address in [start, end), code whose CFA is relative to r10, from which rbp is the caller's
 * again; @end: none. gcc 12 describes rbp as saved until the end of a function that aligned its
 * frame, but pops it before it restores rsp.
 */
u64 cfi_code_leaves_aligned(const struct cfi_code *c, u64 start, u64 end);

/*
 * The next direct call whose last byte is in [*at, end), x86-64: any byte may look like a call, so
 * the caller checks the callee. Moves *at to its end. False: none.
 */
bool cfi_code_next_call(const struct cfi_code *c, u64 *at, u64 end, u64 *callee);

/* Whether [start, end) contains only padding between functions. */
bool cfi_code_is_padding(const struct cfi_code *c, u64 start, u64 end);

/* CoreCLR's OnHijackTripThread, which is returned to without having called (x86-64). */
void cfi_code_coreclr(const struct cfi_code *c);

/*
 * The number of bytes that belong to the entry code of a program: up to its first call or
 * jump. The following code is another function, or never runs.
 */
size_t cfi_code_entry_len(const struct cfi_code *c);
