/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Recognizes code by its bytes: code that has no call frame information (PLT stubs of lld and on
 * arm64, the return from a signal in musl and in arm64's vDSO), and the entry code of a program if
 * no FDE covers that code.
 */

#include "rules.h"

#define CFI_CODE_MARGIN                                                                            \
	128 /* bytes around a page that are needed to recognize code at its edge                   \
	     */

struct cfi_code {
	const u8 *bytes;
	u64 addr; /* link-time address of the first byte */
	size_t len;
	u64 text_start, text_end; /* the segment of the code */
	bool is_arm64;

	/* Called for each recognized range, which may extend beyond the page. */
	rule_fn *fn;
	void *data;
};

/*
 * Reports the system call that returns from a signal. The layout of the signal frame does not
 * depend on the libc. @and_before: start the range one byte earlier, because the walk looks up a
 * return address minus one. Returns false if there is no such system call.
 */
bool cfi_code_signals(const struct cfi_code *c, bool and_before);

/* Whether there is a system call at @addr. */
bool cfi_code_is_syscall(const struct cfi_code *c, u64 addr);

/* Reports stubs of the procedure linkage table, and veneers. */
void cfi_code_stubs(const struct cfi_code *c);

/*
 * Returns the address in [start, end) from which on rbp is the caller's again, or @end if there is
 * none. For code whose CFA is relative to r10: in a function that aligns its frame, gcc 12's call
 * frame information has rbp saved until the function's end, but the function pops rbp before it
 * restores rsp.
 */
u64 cfi_code_leaves_aligned(const struct cfi_code *c, u64 start, u64 end);

/*
 * Finds the next direct call whose last byte is in [*at, end), on x86-64, and moves *at to the end
 * of the call. Any byte may look like a call, so the caller has to check the callee. Returns false
 * if there is none.
 */
bool cfi_code_next_call(const struct cfi_code *c, u64 *at, u64 end, u64 *callee);

/* Whether [start, end) contains only padding between functions. */
bool cfi_code_is_padding(const struct cfi_code *c, u64 start, u64 end);

/* Reports CoreCLR's OnHijackTripThread, which is returned to although it made no call (x86-64). */
void cfi_code_coreclr(const struct cfi_code *c);

/*
 * Returns the number of bytes of a program's entry code, which ends with its first call or jump.
 * The code after it is another function, or never runs.
 */
size_t cfi_code_entry_len(const struct cfi_code *c);
