/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Removes private data from a captured case. A word that is not needed to walk and name the stack
 * again stays only if it cannot be text, because it is a small number, a Smi, or an address within
 * a mapping. With this rule no pointer is lost, and no heuristic has to recognize secrets.
 *
 *	read by the walk      nibble maps and method headers of CoreCLR stay; words as
 *	                      above, near the stack, or followed by the walk stay;
 *	                      others are replaced by a word that ends a walk in the same
 *	                      way, and so are the tokens of frames that hold them
 *	read for a name       stays, and so does the text of a name; script source is blanked
 *	                      before it is entered (redact_source())
 *	copied                words as above stay, others are blanked
 *	code                  stays
 */

#include "areas.h"
#include "pages.h"

struct redaction {
	const struct areas *areas;
	struct uw_frame *frames; /* user frames of the walk */
	u32 n_frames;
	const struct case_mapping *mappings; /* mappings in the walk's tables */
	u32 n_mappings;
	const struct v8_info *v8; /* V8's layout in the walk; NULL: none */
	u64 sp;
	u64 fault_addr; /* the walk's fault address; 0: none */
	u64 va_mask;
};

/* Redacts the pages, and the tokens of frames that hold redacted words. */
void redact_pages(const struct redaction *r, struct pages *p);

/*
 * Redacts registers except pc, sp and lr, because a register can contain eight characters of text.
 */
void redact_regs(const struct redaction *r, struct case_regs *regs);

/* Blanks source text in place, except line ends. */
void redact_source(u8 *bytes, u64 len);
