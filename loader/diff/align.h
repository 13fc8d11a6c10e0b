/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/* A position relative to the start of the enclosing function. */
struct align_place {
	u32 line, column;
};

/**
 * align() - match two sequences of places in order
 * @shorter, @longer: sorted; every place of @shorter gets a match
 * @match:	set to the index in @longer for each place of @shorter, ascending
 *
 * Minimizes the sum of the distances between matching places.
 *
 * Return: 0 or -ENOMEM.
 */
int align(const struct align_place *shorter, u32 n_shorter, const struct align_place *longer,
	  u32 n_longer, u32 *match);
