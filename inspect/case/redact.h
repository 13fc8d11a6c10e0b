/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Takes out of a captured case what is private. What is not needed to walk and name
 * the stack again stays only if it cannot be text: a word that is a small number, a
 * SMI, or an address within a mapping. So nothing is lost that a pointer could tell,
 * and nobody has to guess what is a secret.
 *
 *	read by the walk      records and slots of V8's frames: stay
 *	                      nibble maps and method headers of CoreCLR: stay
 *	                      the rest of a window: words as above, and near the stack or
 *	                      where the walk failed; others become one that ends a walk alike
 *	read for a name       stays; text of a name stays; script source is blanked before
 *	                      it gets here (redact_source())
 *	copied                words as above
 *	code                  stays
 */

#include "areas.h"
#include "pages.h"

struct redaction {
	const struct areas *areas;
	const struct uw_frame *frames; /* of the walk, user frames only */
	u32 n_frames;
	const struct case_mapping *mappings; /* of the walk's tables */
	u32 n_mappings;
	u64 sp;
	u64 fault_addr; /* of the walk; 0: none */
	u64 va_mask;
};

void redact_pages(const struct redaction *r, struct pages *p);

/* Registers but for pc, sp and lr: one of them may hold eight characters. */
void redact_regs(const struct redaction *r, struct case_regs *regs);

/* Source text: only where its lines end is left. In place. */
void redact_source(u8 *bytes, u64 len);
