/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A walk that comes to code whose rows are not loaded goes on by the frame record that fp
 * leads to, and says that it guessed. When the sample is named the rows are there, as a
 * rule. Where they say that the function keeps its record just where fp led, the step
 * was the one that they would have told, and no guess.
 *
 *	frame i      no rows when it was walked     its rule now: { fp, ra } at fp
 *	frame i + 1  a guess                        confirmed
 */

#include "../../core/native/row.h"
#include "../../core/uw_frame.h"

/* As row_filler_rule(). */
typedef const struct uw_rule *confirm_rule_fn(const void *rows, u32 module, u64 file_off);

/**
 * confirm_guesses() - take for found what the rows would have found
 * @s:			gets flags of frames, and its status, as a walk with these rows has them
 * @fp_is_record:	ARCH_FP_IS_RECORD
 *
 * What the rows don't say stays a guess.
 */
void confirm_guesses(struct uw_sample *s, bool fp_is_record, confirm_rule_fn *rule_of,
		     const void *rows);
