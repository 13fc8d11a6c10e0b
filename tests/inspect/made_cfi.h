/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A small ELF file with call frame information made by hand:
 *
 *	0x0000	headers
 *	0x1000	code, MADE_CODE_LEN bytes that are no instruction
 *	0x4000	.eh_frame_hdr, .eh_frame
 *
 * The file has two PT_LOADs at MADE_BASE, and the first PT_LOAD is executable. These functions
 * check nothing, because most tests need wrong contents.
 */

#include "../../inspect/unwind/cfi.h"

#define MADE_BASE 0x10000
#define MADE_CODE_OFF 0x1000
#define MADE_CODE_LEN 0x3000
#define MADE_CODE (MADE_BASE + MADE_CODE_OFF)
#define MADE_HDR_OFF (MADE_CODE_OFF + MADE_CODE_LEN)
#define MADE_CAP (1u << 22)

struct made_cfi {
	u8 *bytes; /* MADE_CAP bytes */
	u32 len;
	u32 n_fdes;
	u32 table_len; /* number of FDEs for which the search table has room */
	u32 frames_off; /* offset of the CIE; the FDEs follow */
	u16 machine;
};

/* Allocates room for @n FDEs and writes the CIE: cfa = sp + 8, ra at cfa - 8 (arm64: cfa = sp). */
void made_init(struct made_cfi *m, u16 machine, u32 n);
void made_deinit(struct made_cfi *m);

/* Adds an FDE; returns its file offset. Addresses are relative to MADE_CODE. */
u32 made_fde(struct made_cfi *m, u32 start, u32 len, const void *program, u32 program_len);

/* Writes the headers. The segments end at the current length. */
void made_headers(struct made_cfi *m);

/* Stores the low @len bytes of @value at offset @off of the file. */
void made_put(struct made_cfi *m, u32 off, u64 value, u32 len);

/* Returns a descriptor of the file's first @len bytes. */
int made_fd(const struct made_cfi *m, u32 len);

/* The rows of a page, and the rule at each byte. The test fails if the rows are inconsistent. */
struct made_page {
	struct uw_rule rule[UW_ROW_PAGE_LEN];
	struct cfi_counts counts;
	u32 n;
};

/*
 * Reads the rows of a page. Return: 0, or the errno of opening the file or reading the page,
 * negated.
 */
int made_page(int fd, u64 page_off, struct made_page *page);
