/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwind rows describe how to find the caller's registers at each instruction of native
 * code. User space makes the rows from a file's call frame information; the walk only looks
 * them up. Wire format.
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
 *	uw_rule        how to unwind; all files share the few rules
 *
 * Rows belong to the file and not to the mapping, so all processes share them. A row with rule 0
 * marks code without unwind information. If a page of rows is missing, user space has not loaded
 * the page yet, or has evicted the page for lack of room.
 */

#include "../types.h"

/* How to compute the CFA, which is the caller's stack pointer before the call. */
enum uw_cfa {
	UW_CFA_NONE, /* the code has no unwind information */
	UW_CFA_SP, /* sp + cfa_off */
	UW_CFA_FP, /* fp + cfa_off */
	UW_CFA_SCRATCH, /* (scratch register number cfa_add) + cfa_off, for aligned frames */
	UW_CFA_AT_SP, /* *(sp + cfa_off) + cfa_add */
	UW_CFA_AT_FP, /* *(fp + cfa_off) + cfa_add */
	UW_CFA_PLT, /* x86-64: sp + cfa_off, plus 8 from byte cfa_add of a 16-byte PLT entry on */
	UW_CFA_SIGNAL, /* signal frame, in which the kernel saved all registers */
	UW_CFA_ROOT, /* no caller: the code is the entry point of the program or of a thread */
	UW_CFA_FP_OTHER_STACK, /* fp + cfa_off, where fp points to another stack (Go's runtime) */
	UW_CFA_HIJACKED, /* a runtime replaced the return address and stored the true one */
	UW_N_CFAS
};

/* The place of the value that one of the caller's registers has. */
enum uw_saved {
	UW_SAVED_SAME, /* still in the register */
	UW_SAVED_CFA, /* *(cfa + off) */
	UW_SAVED_FP, /* *(fp + off), where fp is this frame's (x86-64, aligned frames) */
	UW_SAVED_LOST, /* not saved */
	/*
	 * for return addresses only: in the scratch register with number cfa_add; the caller's sp
	 * is unknown
	 */
	UW_SAVED_SCRATCH,
	UW_N_SAVED
};

/*
 * The x86-64 registers that can be the base of a rule. Their values are known only for an
 * interrupted function; the walk does not read r8 from a signal frame.
 */
enum uw_scratch { UW_R10, UW_RAX, UW_RCX, UW_R8, UW_R9, UW_R11, UW_N_SCRATCH };

struct uw_rule {
	s32 cfa_off;
	s32 ra_off;
	s32 fp_off;
	u8 cfa; /* enum uw_cfa */
	u8 ra; /* enum uw_saved; only UW_SAVED_SAME (lr, arm64), _CFA or _SCRATCH */
	u8 fp; /* enum uw_saved */
	s8 cfa_add;
};
_Static_assert(sizeof(struct uw_rule) == 16, "wire");
_Static_assert(offsetof(struct uw_rule, cfa_add) == 15, "wire");

#define UW_ROW_PAGE_LEN 4096 /* bytes of a file that one uw_row_page covers */
#define UW_MAX_ROW_OFF ((u64)UW_ROW_PAGE_LEN << 32) /* offset in a file; page numbers are u32 */
#define UW_ROW_OFF_SHIFT 20
/*
 * Maximum number of rules, which all files share. A large file needs some hundreds (libLLVM 14:
 * 586). The table is one map value, and v5.10 limits a map value to 4 MiB (KMALLOC_MAX_SIZE).
 */
#define UW_MAX_RULES (1u << 13)
#define UW_MAX_PAGE_ROWS 4096

struct uw_row_page {
	u32 module; /* module id, as in struct uw_mapping; 0 means that the entry is free */
	u32 page; /* offset in the file / UW_ROW_PAGE_LEN */
	u32 first; /* index in the pool of the page's first row */
	u32 n; /* number of rows, at least 1 */
};
_Static_assert(sizeof(struct uw_row_page) == 16, "wire");
_Static_assert(offsetof(struct uw_row_page, n) == 12, "wire");

#define UW_NO_ROW (~0u) /* can't be a row, because no rule has the number in these bits */
#define UW_ROW_SEARCH_STEPS 12 /* enough to search UW_MAX_PAGE_ROWS rows */

/* Returns the first stride of a search among @n rows: the largest power of two below n, or 1. */
UW_INLINE u32 uw_row_stride(u32 n)
{
	u32 bits = n - 1;

	for (int i = 1; i < 32; i *= 2)
		bits |= bits >> i;
	return (bits >> 1) + 1;
}
