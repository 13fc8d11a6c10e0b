/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Takes out of a captured case what is private. What is not needed to walk and name
 * the stack again stays only if it cannot be text: a word that is a small number, a
 * SMI, or an address within a mapping. So nothing is lost that a pointer could tell,
 * and nobody has to guess what is a secret.
 *
 *	read by the walk      nibble maps and method headers of CoreCLR: stay
 *	                      else words as above, and near the stack, where the walk
 *	                      failed or went; others become one that ends a walk alike,
 *	                      and so do the tokens of frames that were taken from them
 *	read for a name       stays; text of a name stays; script source is blanked before
 *	                      it gets here (redact_source())
 *	copied                words as above
 *	code                  stays
 */

#include "areas.h"
#include "pages.h"

struct redaction {
	const struct areas *areas;
	struct uw_frame *frames; /* of the walk, user frames only */
	u32 n_frames;
	const struct case_mapping *mappings; /* of the walk's tables */
	u32 n_mappings;
	const struct v8_info *v8; /* of the walk; NULL: none */
	u64 sp;
	u64 fault_addr; /* of the walk; 0: none */
	u64 va_mask;
};

/* Changes tokens of frames, too. */
void redact_pages(const struct redaction *r, struct pages *p);

/* Registers but for pc, sp and lr: one of them may hold eight characters. */
void redact_regs(const struct redaction *r, struct case_regs *regs);

/* Source text: only where its lines end is left. In place. */
void redact_source(u8 *bytes, u64 len);
