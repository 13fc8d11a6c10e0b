/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwind rows: how the caller's registers are found at each instruction of native
 * code. User space makes them from a file's call frame information; the walk
 * only looks them up. Wire format.
 *
 *	module, offset in file
 *	      |
 *	      v
 *	uw_row_page    the rows of 4 KiB of the file, together or not at all
 *	      |
 *	      v
 *	u32 row        offset in the page << UW_ROW_OFF_SHIFT | number of the rule;
 *	      |        sorted, the first at offset 0; holds up to the next row
 *	      v
 *	uw_rule        how to unwind; few, shared by all files
 *
 * Rows belong to the file and not to the mapping, so all processes share them.
 * Where nobody describes the code the row says so (rule 0); where the page is
 * missing, user space has not got to it yet, or took it back for want of room.
 */

#include "../types.h"

/* Where the caller's stack pointer was before the call (CFA). */
enum uw_cfa {
	UW_CFA_NONE, /* nothing describes this code */
	UW_CFA_SP, /* sp + cfa_off */
	UW_CFA_FP, /* fp + cfa_off */
	UW_CFA_SCRATCH, /* scratch register cfa_add + cfa_off, e.g. while a frame is being aligned
			 */
	UW_CFA_AT_SP, /* *(sp + cfa_off) + cfa_add */
	UW_CFA_AT_FP, /* *(fp + cfa_off) + cfa_add */
	UW_CFA_PLT, /* sp + cfa_off, and 8 more from byte cfa_add of each 16 on (x86-64) */
	UW_CFA_SIGNAL, /* a signal's frame: all registers are where the kernel put them */
	UW_CFA_ROOT, /* there is no caller: entry of the program or of a thread */
	UW_CFA_FP_OTHER_STACK, /* fp + cfa_off, on another stack (Go's runtime) */
	UW_CFA_HIJACKED, /* who is here was not called: the true return address is kept elsewhere */
	UW_N_CFAS
};

/* Where a register of the caller is. */
enum uw_saved {
	UW_SAVED_SAME, /* in the register still */
	UW_SAVED_CFA, /* *(cfa + off) */
	UW_SAVED_FP, /* *(fp + off), fp being this frame's (x86-64, aligned frames) */
	UW_SAVED_LOST, /* nowhere */
	UW_SAVED_SCRATCH, /* in scratch register cfa_add: a return address while it is moved; where
			     sp ends is not known */
	UW_N_SAVED
};

/*
 * Registers of x86-64 that can hold what a rule counts from. Only an interrupted
 * function's are known; r8 not of one that a signal interrupted.
 */
enum uw_scratch { UW_R10, UW_RAX, UW_RCX, UW_R8, UW_R9, UW_R11, UW_N_SCRATCH };

struct uw_rule {
	s32 cfa_off;
	s32 ra_off;
	s32 fp_off;
	u8 cfa; /* enum uw_cfa */
	u8 ra; /* enum uw_saved: _SAME (lr, arm64), _CFA or _SCRATCH */
	u8 fp; /* enum uw_saved */
	s8 cfa_add;
};
_Static_assert(sizeof(struct uw_rule) == 16, "wire");
_Static_assert(offsetof(struct uw_rule, cfa_add) == 15, "wire");

#define UW_ROW_PAGE_LEN 4096 /* bytes of a file that one uw_row_page is about */
#define UW_MAX_ROW_OFF ((u64)UW_ROW_PAGE_LEN << 32) /* of a file: pages have 32 bits */
#define UW_ROW_OFF_SHIFT 20
/*
 * A large file has some hundreds (libLLVM 14: 586). The tables are one value of a map,
 * 4 MiB at most on v5.10 (KMALLOC_MAX_SIZE).
 */
#define UW_MAX_RULES (1u << 13)
#define UW_MAX_PAGE_ROWS 4096

struct uw_row_page {
	u32 module; /* as in struct uw_mapping; 0: the entry is free */
	u32 page; /* offset in the file / UW_ROW_PAGE_LEN */
	u32 first; /* row of the pool */
	u32 n; /* rows, at least 1 */
};
_Static_assert(sizeof(struct uw_row_page) == 16, "wire");
_Static_assert(offsetof(struct uw_row_page, n) == 12, "wire");

#define UW_NO_ROW (~0u) /* no row: there is no such rule */
#define UW_ROW_SEARCH_STEPS 12 /* of a search in UW_MAX_PAGE_ROWS */

/* Where a search among @n rows starts: the largest power of two below n, at least 1. */
UW_INLINE u32 uw_row_stride(u32 n)
{
	u32 bits = n - 1;

	for (int i = 1; i < 32; i *= 2)
		bits |= bits >> i;
	return (bits >> 1) + 1;
}
