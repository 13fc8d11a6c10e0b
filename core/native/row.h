/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwind rows: how to find the caller's registers at each instruction of native code.
 * User space makes them from a file's call frame information; the walk only looks them
 * up. Wire format.
 *
 *	module, offset in file
 *	      |
 *	      v
 *	uw_row_page    the rows of 4 KiB of the file, loaded together or not at all
 *	      |
 *	      v
 *	u32 row        offset in the page << UW_ROW_OFF_SHIFT | number of the rule;
 *	      |        sorted, the first at offset 0; valid up to the next row
 *	      v
 *	uw_rule        how to unwind; few, shared by all files
 *
 * Rows belong to the file and not to the mapping, so all processes share them. A row
 * with rule 0 marks code without unwind information. If a page is missing, user space has
 * not loaded it yet, or has evicted it for lack of room.
 */

#include "../types.h"

/* Rule for the CFA: the caller's stack pointer before the call. */
enum uw_cfa {
	UW_CFA_NONE, /* the code has no unwind information */
	UW_CFA_SP, /* sp + cfa_off */
	UW_CFA_FP, /* fp + cfa_off */
	UW_CFA_SCRATCH, /* (scratch register number cfa_add) + cfa_off, e.g. in an aligned frame */
	UW_CFA_AT_SP, /* *(sp + cfa_off) + cfa_add */
	UW_CFA_AT_FP, /* *(fp + cfa_off) + cfa_add */
	UW_CFA_PLT, /* sp + cfa_off; from byte cfa_add of a 16-byte PLT entry on, 8 more (x86-64) */
	UW_CFA_SIGNAL, /* signal frame: the kernel saved all registers */
	UW_CFA_ROOT, /* no caller: entry point of the program or of a thread */
	UW_CFA_FP_OTHER_STACK, /* fp + cfa_off, on another stack (Go's runtime) */
	UW_CFA_HIJACKED, /* a runtime replaced the return address, and stores the true one */
	UW_N_CFAS
};

/* Location of one of the caller's registers. */
enum uw_saved {
	UW_SAVED_SAME, /* still in the register */
	UW_SAVED_CFA, /* *(cfa + off) */
	UW_SAVED_FP, /* *(fp + off) with this frame's fp (x86-64, aligned frames) */
	UW_SAVED_LOST, /* not saved */
	/* only a return address: in scratch register number cfa_add; the caller's sp is unknown */
	UW_SAVED_SCRATCH,
	UW_N_SAVED
};

/*
 * x86-64 registers that can be the base of a rule. They are known only for an interrupted
 * function; a signal frame does not provide r8.
 */
enum uw_scratch { UW_R10, UW_RAX, UW_RCX, UW_R8, UW_R9, UW_R11, UW_N_SCRATCH };

struct uw_rule {
	s32 cfa_off;
	s32 ra_off;
	s32 fp_off;
	u8 cfa; /* enum uw_cfa */
	u8 ra; /* enum uw_saved: only _SAME (lr, arm64), _CFA or _SCRATCH */
	u8 fp; /* enum uw_saved */
	s8 cfa_add;
};
_Static_assert(sizeof(struct uw_rule) == 16, "wire");
_Static_assert(offsetof(struct uw_rule, cfa_add) == 15, "wire");

#define UW_ROW_PAGE_LEN 4096 /* bytes of a file that one uw_row_page covers */
#define UW_MAX_ROW_OFF ((u64)UW_ROW_PAGE_LEN << 32) /* in a file: u32 page numbers */
#define UW_ROW_OFF_SHIFT 20
/*
 * Room for the rules of all files. A large file has some hundreds (libLLVM 14: 586). The table is
 * one map value, which has 4 MiB at most on v5.10 (KMALLOC_MAX_SIZE).
 */
#define UW_MAX_RULES (1u << 13)
#define UW_MAX_PAGE_ROWS 4096

struct uw_row_page {
	u32 module; /* as in struct uw_mapping; 0: the entry is free */
	u32 page; /* offset in the file / UW_ROW_PAGE_LEN */
	u32 first; /* index of its first row in the pool */
	u32 n; /* number of rows, at least 1 */
};
_Static_assert(sizeof(struct uw_row_page) == 16, "wire");
_Static_assert(offsetof(struct uw_row_page, n) == 12, "wire");

#define UW_NO_ROW (~0u) /* not a valid row, because no such rule exists */
#define UW_ROW_SEARCH_STEPS 12 /* enough for UW_MAX_PAGE_ROWS */

/* First stride of a search among @n rows: the largest power of two below n, at least 1. */
UW_INLINE u32 uw_row_stride(u32 n)
{
	u32 bits = n - 1;

	for (int i = 1; i < 32; i *= 2)
		bits |= bits >> i;
	return (bits >> 1) + 1;
}
