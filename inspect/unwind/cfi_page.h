/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A page of rows under construction, and two of the providers of rules. Private to cfi.c and its
 * parts.
 */

#include "cfi.h"
#include "cfi_code.h"
#include "cfi_entries.h"
#include "cfi_program.h"
#include "flow.h"
#include "paint.h"

enum { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_N_SECTIONS };

/* The part of a page that is in one segment; the member paint has the addresses of this part. */
struct cfi_page {
	struct elf_file *file;
	const struct cfi_regs *regs;
	const struct elf_segment *segment;
	const struct cfi_code *code; /* the code of the page, with a margin */
	struct paint *paint;
	struct cfi_counts *counts;
	u64 aot_start, aot_end; /* range of NativeAOT code, whose epilogues lack rows; empty if
				 * there is none */
	u32 work; /* number of instructions and FDEs that may still be processed */
};

/* Paints the ranges for which a section has entries. Return: 0 or the errno of reading. */
int cfi_paint_section(struct cfi_page *p, struct cfi_section *s);

/* Analyses of the instructions of code that has no call frame information. */
struct cfi_gaps {
	const struct elf_segment *whole_of; /* the first segment that is analyzed as a whole, or
					     * NULL */
	struct flow *whole;
	u64 gap_addr;
	struct flow *gap; /* the flow of the last gap */
	u64 gaps_len; /* total length of all gaps so far */
};

void cfi_gaps_deinit(struct cfi_gaps *g);

/*
 * Paints code that has no call frame information. @sections: array of CFI_N_SECTIONS; @entry: entry
 * point of the program, or 0. Return: 0 or -ENOMEM.
 */
int cfi_paint_gaps(struct cfi_page *p, struct cfi_gaps *g, struct cfi_section *sections, u64 entry);
