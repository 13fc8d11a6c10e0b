/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * An example of a foreign header: a naive frame-pointer unwinder.
 *
 *	fp+8   return address
 *	fp     caller's fp; in the outermost frame not an address: 0, or main()'s argc
 *
 * The unwinder trusts every frame pointer. While a function has no frame record (not yet, no
 * longer, or never), fp points to the record of its caller, so this unwinder loses exactly the
 * direct caller.
 */

#include "core/port.h"

#define NAIVE_FP_LOWEST 4096

static enum uw_status foreign_step(struct uw_state *u)
{
	u64 record[2];

	if (u->regs.fp < NAIVE_FP_LOWEST)
		return UW_END;
	if (u->regs.fp < u->stack_low)
		return UW_E_FP_BELOW_SP;
	if (port_read_user(record, sizeof(record), u->regs.fp))
		return UW_E_FAULT;
	u->stack_low = u->regs.fp + sizeof(record);
	u->regs.fp = record[0];
	u->regs.pc = record[1] & u->va_mask; /* arm64: without the signature */
	return UW_OK;
}
