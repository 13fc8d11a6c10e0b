/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Code that is known by its bytes: where nobody describes it (PLT stubs of lld and
 * on arm64, musl's return from a signal, the vDSO's on arm64), and the entry of a
 * program that has no description.
 */

#include "rules.h"

#define CFI_CODE_MARGIN 128 /* bytes around a page that code at its edge is known by */

struct cfi_code {
	const u8 *bytes;
	u64 addr; /* link-time address of the first one */
	size_t len;
	u64 text_start, text_end; /* the segment that it is in */
	bool is_arm64;

	/* Called for each range that was recognised; it may reach over the edges. */
	rule_fn *fn;
	void *data;
};

/*
 * The system call that returns from a signal: its frame looks the same whoever
 * describes it. @and_before: from the byte before on, where the walk looks it up as
 * a return address. False: there is none.
 */
bool cfi_code_signals(const struct cfi_code *c, bool and_before);

/* Is there a system call at @addr? */
bool cfi_code_is_syscall(const struct cfi_code *c, u64 addr);

/* Stubs of the procedure linkage table, and those that only reach farther. */
void cfi_code_stubs(const struct cfi_code *c);

/*
 * From where on of [start, end), which counts from r10, rbp is the caller's again; @end: nowhere.
 * gcc 12 describes it as saved at rbp to the end of a function that aligned its frame, but pops
 * it before it restores rsp.
 */
u64 cfi_code_leaves_aligned(const struct cfi_code *c, u64 start, u64 end);

/*
 * The next call of a known address whose last byte is in [*at, end), x86-64: any byte may look like
 * one, so the caller checks what is called. *at moves behind it. False: there is none.
 */
bool cfi_code_next_call(const struct cfi_code *c, u64 *at, u64 end, u64 *callee);

/* Is there nothing in [start, end) but what is put between functions to align them? */
bool cfi_code_is_padding(const struct cfi_code *c, u64 start, u64 end);

/* A function of CoreCLR in assembly, which is returned to but was not called (x86-64). */
void cfi_code_coreclr(const struct cfi_code *c);

/*
 * How many bytes from the first one on belong to the entry of a program: as far as
 * its first call or jump. What follows is another function, or never runs.
 */
size_t cfi_code_entry_len(const struct cfi_code *c);
