/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A page under construction, and two of its providers. Private to cfi.c and its parts. */

#include "cfi.h"
#include "cfi_code.h"
#include "cfi_entries.h"
#include "cfi_program.h"
#include "flow.h"
#include "paint.h"

enum { CFI_EH_FRAME, CFI_DEBUG_FRAME, CFI_N_SECTIONS };

/* The bytes of the page that are in one segment; paint has their addresses. */
struct cfi_page {
	struct elf_file *file;
	const struct cfi_regs *regs;
	const struct elf_segment *segment;
	const struct cfi_code *code; /* with a margin */
	struct paint *paint;
	struct cfi_counts *counts;
	u64 aot_start, aot_end; /* NativeAOT code, whose epilogues are not described; equal: none */
	u32 work; /* instructions and FDEs that may still be processed */
};

/* Paints the ranges that a section describes. 0 or the errno of reading. */
int cfi_paint_section(struct cfi_page *p, struct cfi_section *s);

/* Code without description, followed by its instructions. */
struct cfi_gaps {
	const struct elf_segment *whole_of; /* the first segment that needs it, once tried */
	struct flow *whole;
	u64 gap_addr;
	struct flow *gap; /* the last one */
	u64 gaps_len; /* sum of all so far */
};

void cfi_gaps_deinit(struct cfi_gaps *g);

/* @sections: CFI_N_SECTIONS; @entry: of the program, or 0. Return: 0, -ENOMEM. */
int cfi_paint_gaps(struct cfi_page *p, struct cfi_gaps *g, struct cfi_section *sections, u64 entry);
